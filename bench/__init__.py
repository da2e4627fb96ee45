"""What is measured, and beside what: see README.md here."""
