"""A team's own task without code: its description (`rules/task.py`), read and refused with sentences, versioned, and
made a kind that everything else works with. `kinds.get` finds such a kind by the hash of its description."""
