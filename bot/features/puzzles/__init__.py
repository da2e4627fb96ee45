"""Puzzles: positions to solve by moving, the daily puzzle, and puzzles made of played matches."""
