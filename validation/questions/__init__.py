"""Questions of annotators to the leads: threads on an item, a section of the guidelines or the project."""
