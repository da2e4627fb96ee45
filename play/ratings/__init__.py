"""Ratings: the model, and counting rated matches."""
