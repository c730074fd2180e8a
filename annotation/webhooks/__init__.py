"""Webhooks: addresses that a project's events are sent to, and the record of every delivery.

An event's row is the outbox (core/models/feed.py): a job numbers what was committed, makes a delivery for each webhook
that asked for its type, and sends it at least once, in order for each item, signed as Standard Webhooks prescribe.
"""
