"""What the bot can do, a folder for each feature: its commands, cards, texts and periodic work."""
