"""Matches: opening one, playing, looking at it."""
