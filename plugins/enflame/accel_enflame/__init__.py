"""Enflame's accelerators: specs/enflame/tools.yaml states them, and specs/enflame/readers how their tool is read."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("enflame", __name__)
