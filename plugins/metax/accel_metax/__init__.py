"""MetaX's GPUs, defined in specs/metax/tools.yaml; specs/metax/readers describes their tool's output."""

from accel.plugins.yaml_backend import own_vendor

VENDOR = own_vendor("metax", __name__)
