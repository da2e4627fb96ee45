"""The desk: the way from a typed line or a pressed button of any platform to an action and its answers."""
