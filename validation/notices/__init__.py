"""Notices: news for a person, on the page and once a day by e-mail."""
