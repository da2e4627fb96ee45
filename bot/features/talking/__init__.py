"""Private messages between the seats of a match, also from one platform to another."""
