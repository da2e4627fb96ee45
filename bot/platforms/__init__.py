"""The platforms: how requests come in and messages go out, a folder for each."""
