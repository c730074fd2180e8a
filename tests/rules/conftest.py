"""Properties are looked for in the same places on every run, however busy the machine is."""

from hypothesis import settings

settings.register_profile("rules", deadline=None, derandomize=True, database=None)
settings.load_profile("rules")
