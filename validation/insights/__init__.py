"""Statistics of a project: agreement, annotators, artefacts, protocols, conflicts; computed by jobs."""
