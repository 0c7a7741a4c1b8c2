"""The scan: plan what changed, apply it, report it."""
