"""The game and its simulation."""
