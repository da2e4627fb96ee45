"""Cups, ladders and leagues: their commands, and what passes between events and their matches."""
