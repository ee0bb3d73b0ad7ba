"""Compares the wheel tables with a package registry; for maintainers. See __main__.py."""
