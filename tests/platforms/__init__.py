"""Platforms for the bot to run against, on this machine: they answer as the real ones do."""
