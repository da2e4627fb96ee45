"""Events: cups, ladders and leagues, each a value with a log, played by ordinary matches."""
