"""Django's backend for PostgreSQL, whose waits for a silent server come to an end; see base.py."""
