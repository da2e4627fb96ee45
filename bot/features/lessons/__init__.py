"""Lessons: a game is learnt by making moves, one idea after the other."""
