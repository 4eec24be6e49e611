"""Compiling and running: the C libraries, devices, arguments, the cache."""
