"""Group review of prompts: proposals of participants, decisions of a lead, the page for a projector."""
