"""What is stored, as bytes: matches, facts, results of operations."""
