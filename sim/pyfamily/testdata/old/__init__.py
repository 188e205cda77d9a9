"""A package of environments."""
