"""MetaX's GPUs: specs/metax/tools.yaml states them, and specs/metax/readers how their tool is read."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("metax", __name__)
