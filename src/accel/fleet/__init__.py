"""Many machines as one patient: what each node says, merged into causes, drift, outliers and who did not answer."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from accel.fleet.merging import merge
    from accel.fleet.model import Merged, NodeAnswer

__all__ = ["Merged", "NodeAnswer", "merge"]

_HOMES = {"merge": "accel.fleet.merging", "Merged": "accel.fleet.model", "NodeAnswer": "accel.fleet.model"}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
