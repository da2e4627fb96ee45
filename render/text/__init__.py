"""Diagrams as text boards."""
