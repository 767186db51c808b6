"""Speed of the kernel beside the same algorithm in C++: ``python -m benchmarks.kernel``."""
