"""Aligned sets of translations: missing rows, and the distance between registers."""
