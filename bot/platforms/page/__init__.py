"""The board page: a match in a browser, for those whom a chat sends there, and for spectators."""
