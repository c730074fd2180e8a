"""How languages that Django has no formats for write numbers and dates."""
