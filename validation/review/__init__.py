"""The review loop: the desk, an item with its history, corrections, adjudication, returned items."""
