"""Language models behind one interface: guarded addresses, sealed keys, kept calls, limits. See `calls.answers`."""
