"""Matches and the table they are played at: no chat, no language."""
