"""A question to ranked, cited hits, as small pure stages."""
