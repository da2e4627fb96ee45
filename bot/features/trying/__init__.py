"""What a person does beside a match, for themselves alone: notes, and lines that they try."""
