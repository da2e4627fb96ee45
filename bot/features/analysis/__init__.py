"""Hints in a match, and the analysis of a match that is over."""
