"""Simulated machines, for tests of programs that use accel.

    with accel.testing.machine("8xH100") as m:
        assert len(accel.accelerators()) == 8
        m.lose("nvidia:3")
        assert accel.health("nvidia:3") == "critical"

Inside the `with` block, every accel function answers for that machine, in this process, its threads and forks; nothing
is read from the real machine. `machines()` returns the known names; "4xA10" is composed from the spec database. For
pytest, see the fixture `accel_machine` and the marker `accelerator` in accel.testing.pytest_plugin.
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from accel.testing.simulated import NeverReturns
    from accel.testing.simulation import Machine, machine, machines

__all__ = ["Machine", "NeverReturns", "machine", "machines"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'accel.testing' has no attribute {name!r}")
    import importlib

    home = "accel.testing.simulated" if name == "NeverReturns" else "accel.testing.simulation"
    return getattr(importlib.import_module(home), name)
