"""Iluvatar's GPUs, defined in specs/iluvatar/tools.yaml; specs/iluvatar/readers describes their tool's output."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("iluvatar", __name__)
