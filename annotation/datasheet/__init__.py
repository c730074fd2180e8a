"""What a project and its members say of themselves: licence, data statement, consent, demographics."""
