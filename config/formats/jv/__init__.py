"""Numbers and dates."""
