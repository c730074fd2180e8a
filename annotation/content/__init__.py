"""What is annotated: premises, concepts and items with every revision, and the shapes in which content is stored."""
