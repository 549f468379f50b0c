"""Learning mixtures: many vectors of parameters for one structure."""
