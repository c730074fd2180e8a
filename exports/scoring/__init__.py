"""Scores of models: MC1 and MC2 from log-probabilities."""
