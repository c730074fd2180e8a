"""Releases: freeze, build, splits, card, manifest, verification, and their pages."""
