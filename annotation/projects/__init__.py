"""Projects: made from presets, their settings, protocols and guidelines; who is invited, and signs up with it."""
