"""Matches and the table they are played at; nothing here has ever heard of a chat."""
