"""Formats: `release/` are further forms of a release, `paper/` are the plain dumps in the papers' own forms."""
