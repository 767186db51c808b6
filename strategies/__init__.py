"""The players: one file per strategy, plus base and registry."""

from .base import Param, Strategy
from .python import PythonStrategy

__all__ = ["Param", "PythonStrategy", "Strategy"]
