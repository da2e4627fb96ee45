"""Maintenance of a whole store: verify, reindex, backup, restore."""
