"""The demo: texts of our own, and the ordinary actions that give them a history."""
