"""The players: one file per strategy, plus base and registry."""
