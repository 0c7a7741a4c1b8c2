"""The life of what is stored: undo, moved and merged workspaces, drops, repair of what is derived."""
