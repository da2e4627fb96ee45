"""Match files: writing, reading, importing."""
