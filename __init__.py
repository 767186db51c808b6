"""Persian Rummy: the game, its simulation, strategies and reports."""

__version__ = "0.1.0"
