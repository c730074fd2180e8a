"""Notices: what is new for somebody, on the page and once a day by e-mail."""
