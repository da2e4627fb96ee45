"""Settings of people and places, whom they keep out, linked accounts, and what is stored about a person."""
