"""Machine-written questions: endpoints, recipes, runs, materials, ConceptNet, costs (domain.md §5)."""
