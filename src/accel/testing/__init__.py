"""accel on machines that are not here: for tests of programs that use accel.

    with accel.testing.machine("8xH100") as m:
        assert len(accel.accelerators()) == 8
        m.lose("nvidia:3")
        assert accel.health("nvidia:3") == "critical"

Within `with`, every function of accel answers for that machine, in this process, its threads and forks: nothing of the
real machine is read. `machines()` names those that are known; "4xA10" is composed from the spec database. For pytest
there is the fixture `accel_machine` and the marker `accelerator`: see accel.testing.pytest_plugin.
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
