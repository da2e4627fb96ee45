"""Ratings: /rating, and counting rated matches that are over."""
