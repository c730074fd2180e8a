"""Translation: source sets and their clean-up, targets and who works for them, target statistics (domain.md §7)."""
