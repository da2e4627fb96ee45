"""A place plays: its people propose turns and vote, or play by turns; with the table of who proposed what."""
