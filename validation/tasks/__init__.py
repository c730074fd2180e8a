"""Pages of teams' own tasks: described, seen as a card before anything is saved, made a project, changed later."""
