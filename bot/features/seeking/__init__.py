"""Seeking: an opponent for a match of two, among all places and platforms."""
