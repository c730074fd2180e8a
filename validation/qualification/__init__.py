"""Qualification: a paid quiz before the first vote, a training round with feedback, and the leads' view of both."""
