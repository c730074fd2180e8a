"""Voting: assignments, ballots, cards, and deciding due items."""
