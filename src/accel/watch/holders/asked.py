"""This machine as one process sees it: its limits, its environment variables, its masks.

/proc/<pid>/environ   as the process was started; readable by its user and root. Only variables that concern
                      accelerators are kept
Nothing is run with these variables: they may be another user's.
"""

from typing import TYPE_CHECKING, Final

from accel.checks.stated_limits import size_in_words
from accel.collect.environment.variables import relevant_variables
from accel.collect.masks import masked
from accel.machine.files import names_in
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.errors import BadInput
from accel.model.observation import Limit
from accel.vendors.toolkit.notes import noted
from accel.watch.holders.processes import ProcessBook, variables_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from accel.machine.protocol import Machine
    from accel.model.holding import RunningProcess
    from accel.model.observation import Noted, Observation
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_MOST_LETTERS: Final = 160  # of a command; accel ps shows all of it


def known(machine: "Machine", pid: int) -> "RunningProcess":
    """Return the process. Raises BadInput if there is none with this id."""
    if machine.system != "linux":
        raise BadInput(f"--pid reads /proc, which {machine.system} has not. Give it on Linux.")
    process = ProcessBook(machine).of(pid)
    if process is None:
        raise BadInput(f"There is no process {pid}. See who uses the devices:  accel ps")
    return process


def as_process(found: "Snapshot", machine: "Machine", registry: "Registry", process: "RunningProcess") -> "Snapshot":
    """Return the snapshot with a process's variables, its masks applied to the devices, and a note about it."""
    told = tuple(_told(machine, process, found.observations))
    try:
        given = variables_of(machine, process.pid)
    except OSError as error:
        reason = f"of process {process.pid}: {error.strerror or error}"
        if isinstance(error, PermissionError):
            reason += f"; root may read them:  sudo accel doctor --pid {process.pid}"
        gap = Gap(fact="variables", reason=reason, source="/proc")
        environments = tuple(replace(one, variables=None, gaps=(*one.gaps, gap)) for one in found.environments)
        return replace(found, environments=environments, observations=(*found.observations, *told))
    variables = relevant_variables(given)
    reports = tuple(
        masked(report, backend, given) if report.devices and (backend := registry.backend(report.backend)) else report
        for report in found.reports
    )
    return replace(
        found,
        reports=reports,
        environments=tuple(replace(one, variables=variables) for one in found.environments),
        observations=(*found.observations, *told),
    )


def _told(machine: "Machine", process: "RunningProcess", observations: "Iterable[Observation]") -> "Iterable[Noted]":
    """Yield the lines that introduce the process: what it is, and what it may use."""
    command = (" ".join(process.command or ()) or process.name or "?")[:_MOST_LETTERS]
    job = f", {process.scheduler} {process.job}" if process.job else ""
    text = f"process {process.pid}: {command} ({process.user or 'user not known'}, {process.state or '?'}{job})"
    yield noted("process-asked", text, "/proc", pid=str(process.pid), user=process.user)
    limits = {one.resource: one.value for one in observations if isinstance(one, Limit)}
    opened = len(names_in(machine, f"/proc/{process.pid}/fd"))
    words = [
        f"{limits['open_files'] or 'any number of'} open files" + (f" ({opened} are)" if opened else "")
        if "open_files" in limits
        else "",
        f"{_size(limits['memlock_bytes'])} locked memory" if "memlock_bytes" in limits else "",
        f"{_size(limits['memory_bytes'])} memory" if "memory_bytes" in limits else "",
        f"{(limits['millicpus'] or 0) / 1000:g} CPUs" if "millicpus" in limits else "",
        f"{limits['pids']} tasks" if "pids" in limits else "",
    ]
    may = ", ".join(word for word in words if word)
    if may:
        yield noted("process-asked", f"it may use {may}", "/proc", pid=str(process.pid))


def _size(value: int | None) -> str:
    return "any" if value is None else size_in_words(value)
