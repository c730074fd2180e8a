"""Tasks for lm-evaluation-harness and a project's own prompts for them."""
