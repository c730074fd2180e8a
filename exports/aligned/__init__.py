"""Aligned sets of translations: what is missing where, and how far registers are apart."""
