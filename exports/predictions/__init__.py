"""Predictions of models for a release: taken in, scored by a job, compared, and shown with their sums.

Of tests whose answers are hidden nothing comes out but figures over all items, a few times a day.
"""
