"""Qualification: a paid quiz before the first vote, a training round with feedback, and what leads see of both."""
