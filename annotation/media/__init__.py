"""Images and sounds that a team sends with its items: looked at, kept under their hash, shown to members alone."""
