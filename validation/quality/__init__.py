"""Quality of people's work: what leads see of each person, pauses, votes set aside, gold questions."""
