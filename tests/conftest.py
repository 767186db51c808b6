"""What holds for all tests: hypothesis draws the same examples, and stops at the first fault."""

from hypothesis import settings

settings.register_profile(
    "reproducible", derandomize=True, deadline=None, report_multiple_bugs=False
)
settings.load_profile("reproducible")
