"""What holds for all tests: hypothesis draws the same examples in every run."""

from hypothesis import settings

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
