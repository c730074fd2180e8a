"""Targets and source sets as leads see them: progress, teams, clean-up under translations."""
