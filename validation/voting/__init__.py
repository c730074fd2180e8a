"""Voting: who holds an item until when, ballots, cards, and deciding what is due."""
