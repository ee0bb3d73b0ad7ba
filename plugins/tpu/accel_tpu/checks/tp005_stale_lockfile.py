"""libtpu's lock file is left over, or another user's."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_tpu.signs import need_tpu, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP005", name="tpu-stale-lockfile", layer="access", severity="warning")
def stale_lockfile(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """libtpu's lock file is there, and no process holds it, or it belongs to somebody else.

    Why it matters   libtpu takes the file for a running program, and says that the TPU is in use.
    What to do       Make sure that no program uses the TPU, then remove the file; accel never removes it.
    Looks at         /tmp/libtpu_lockfile, who has it open, and libtpu's sentence about it
    Silent when      the file is not there, or a process holds it
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc; jax issue 10192
    """
    need_tpu(facts)
    left = [
        e for e in facts.events("tpu-lockfile") if e.value("stale") or (e.value("ours") == "no" and not e.value("pid"))
    ]
    left += facts.events("tpu-lock-file")
    if not left:
        return
    foreign = any(event.value("ours") == "no" for event in left)
    yield Problem(
        title="The lock file of libtpu belongs to another user" if foreign else "The lock file of libtpu is left over",
        evidence=quoted(left),
        remedies=(
            Remedy(
                text="Once nothing shows up as a user of the TPU, remove the file.",
                command="sudo lsof /tmp/libtpu_lockfile /dev/accel* /dev/vfio/* || sudo rm /tmp/libtpu_lockfile",
                action="admin",
            ),
        ),
    )
