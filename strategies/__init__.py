"""The players: one file per strategy, plus base and registry."""

from .base import Param, Strategy

__all__ = ["Param", "Strategy"]
