"""Voting: assignments, ballots, cards, deciding what is due; the steps of an item, its flags and proposals."""
