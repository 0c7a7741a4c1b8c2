"""Reports on what models, agents and our own answers cost; comparison with a provider's export; purging."""
