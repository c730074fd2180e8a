"""Writing: which writer gets which sources, drafts, whole sets, revisions before validation, skipped sources."""
