"""Kinds of studies: one file each."""
