"""Project folders: identity, ignore rules and the walk."""
