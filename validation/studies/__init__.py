"""Side studies: ratings of model outputs, blind comparisons, diagnostic sets, label checks."""
