"""A coach in unrated matches against the computer."""
