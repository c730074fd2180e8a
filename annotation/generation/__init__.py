"""Machine-written questions: endpoints, recipes, runs, materials, ConceptNet, what it costs (domain.md §5)."""
