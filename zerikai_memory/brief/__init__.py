"""The locked nine-section project brief."""
