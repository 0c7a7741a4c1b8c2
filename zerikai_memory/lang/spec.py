"""What a language is: data. Everything else about extraction is the engine's."""
