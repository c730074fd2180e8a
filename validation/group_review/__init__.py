"""Group review of prompts: proposals of participants, what a lead decides, the page for a projector."""
