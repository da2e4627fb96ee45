"""The desk: what a line or a press asks for, whatever the platform, becomes an action and answers."""
