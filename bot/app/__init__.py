"""The process: its command line, configuration, roles, health, and the commands of operators."""
