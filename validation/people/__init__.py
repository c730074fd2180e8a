"""The people of a project: members, invitations, one's own record, personal data, leaving."""
