"""Withdrawals: consent that a person withdraws, takedowns, and versions of releases without what was withdrawn."""
