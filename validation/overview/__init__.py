"""Home, the project page and its checklist."""
