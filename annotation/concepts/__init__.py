"""Concepts of a category: proposed by writers, reviewed by leads, imported or taken over (domain.md §5)."""
