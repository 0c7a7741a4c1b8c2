"""Metering: what each attempt at a model cost, and whether a budget lets the next one go."""
