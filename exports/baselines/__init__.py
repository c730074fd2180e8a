"""Human baselines of releases: drawn, answered by people with no other part, and counted."""
