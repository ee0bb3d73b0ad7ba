"""Kunlunxin's XPUs, defined in specs/kunlun/tools.yaml; specs/kunlun/readers describes their tool's output."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("kunlun", __name__)
