"""Where matches sleep."""
