"""Iluvatar's GPUs: specs/iluvatar/tools.yaml states them, and specs/iluvatar/readers how their tool is read."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("iluvatar", __name__)
