"""Cups: /cup, and what passes between events and their matches."""
