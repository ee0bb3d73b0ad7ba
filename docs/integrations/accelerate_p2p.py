"""What accelerate sets where boards have no peer transfers, decided by accel's rules instead of a test of names.

os.environ.update(p2p_environment())        before accelerate.PartialState() or NCCL starts
"""

from itertools import combinations

import accel


def p2p_environment() -> dict[str, str]:
    """Return the variables that keep NCCL from peer transfers that this platform's boards do not have; {} otherwise."""
    chosen = accel.platform()
    topology = accel.topology()
    needed: dict[str, str] = {}
    for one, other in combinations(chosen.devices, 2):
        allowed = topology.p2p(one.id, other.id)
        if allowed.allowed is False:
            needed |= allowed.environment
    return needed


def why() -> list[str]:
    """Return a sentence for each pair that has none."""
    topology = accel.topology()
    pairs = [topology.p2p(one.id, other.id) for one, other in combinations(accel.platform().devices, 2)]
    return list(dict.fromkeys(pair.reason for pair in pairs if pair.allowed is False))
