"""Linked accounts, and what is stored about a person: /link, /unlink, /privacy, /forgetme."""
