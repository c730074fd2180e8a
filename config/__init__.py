"""Wires the apps together; decides nothing."""
