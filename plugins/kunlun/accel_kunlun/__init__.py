"""Kunlunxin's XPUs: specs/kunlun/tools.yaml states them, and specs/kunlun/readers how their tool is read."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("kunlun", __name__)
