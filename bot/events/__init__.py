"""Cups: commands, cards, and what passes between events and their matches."""
