"""Quality of people's work: figures of each person for leads, pauses, votes set aside, gold questions."""
