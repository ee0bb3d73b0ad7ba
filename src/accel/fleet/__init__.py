"""Diagnosis of many machines together: the nodes' answers, merged into causes, drift, outliers and missing nodes."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from accel.fleet.api import diagnose, merge
    from accel.fleet.model import Merged, NodeAnswer

__all__ = ["Merged", "NodeAnswer", "diagnose", "merge"]

_HOMES = {
    "Merged": "accel.fleet.model",
    "NodeAnswer": "accel.fleet.model",
    "diagnose": "accel.fleet.api",
    "merge": "accel.fleet.api",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
