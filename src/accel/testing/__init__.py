"""accel on machines that are not here: for tests of programs that use accel.

    with accel.testing.machine("8xH100") as m:
        assert len(accel.accelerators()) == 8
        m.lose("nvidia:3")
        assert accel.health("nvidia:3") == "critical"

Within `with`, every function of accel answers for that machine, in this process, its threads and forks: nothing of the
real machine is read. `machines()` names those that are known; "4xA10" is composed from the spec database.
"""

from accel.testing.machine import Machine, machine, machines
from accel.testing.simulated import NeverReturns

__all__ = ["Machine", "NeverReturns", "machine", "machines"]
