"""The story of a match that is over: its beats, in words and pictures."""
