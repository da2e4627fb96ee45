"""Ratings: /profile and /top, and counting matches that are over."""
