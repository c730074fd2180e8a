"""Accounts, projects with their protocols and guidelines, members, access, events, refusals and their words.

Every query of a view begins at `access`, which scopes it by membership.
"""
