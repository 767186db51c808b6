"""Benchmarks, run from the checkout; they are no part of the installed package."""
