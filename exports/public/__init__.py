"""The public page of a release: card, figures, files, citation, versions, reports of errors; and the way to a hub."""
