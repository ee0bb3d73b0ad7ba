"""Enflame's accelerators, defined in specs/enflame/tools.yaml; specs/enflame/readers describes their tool's output."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("enflame", __name__)
