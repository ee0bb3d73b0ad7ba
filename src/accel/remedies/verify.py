"""How to verify that a fault is gone, on this machine and with this reader's rights. Pure.

nvidia-smi -L; sudo dmesg -T | grep -i xid        nvidia-smi -L, for readers who are not root or rent a container
nvidia-smi --query-gpu=index,memory.used …        rocm-smi --showmeminfo vram, for AMD's devices
mthreads-gmi                                      the tool of the only maker shown, for a driver without its own row
export A=1                                        printenv A, if the check's own table has nothing
pip install A==1                                  pip show A, likewise; otherwise the failing program is run again
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.infer import observations_of
from accel.facts.makers import is_of_others, makers_shown, system_shown
from accel.facts.query import holds
from accel.model.diagnosis import Proof, Remedy
from accel.model.observation import Complaint, ErrorSeen, Missing, Observation, Raised, share_a_line
from accel.remedies.actions import (
    Action,
    BuildFromSource,
    ChangeModule,
    ChangePackages,
    ChangeSystemPackages,
    ControlService,
    Inspect,
    SetVariable,
    names_of,
)
from accel.remedies.environment import Environment
from accel.remedies.places import in_form
from accel.remedies.render import looked_at_here, rendered
from accel.resolver.system_tools import of_this_system, shells_table
from accel.text.pattern import pattern
from accel.vendors.contract.command import (
    command_line,
    name_word,
    package_word,
    parts_of,
    system_package_word,
    variable_word,
)

if TYPE_CHECKING:
    from accel.vendors.contract.check import Check, Problem

_LIVE: Final = "accel doctor no longer reports it."
_UNSET: Final = "The variable is not set where the program starts (the command prints nothing)."
_OF_A_LINE: Final = "Run what failed again: it no longer prints “{}”."
_OF_A_TOOL: Final = "{} lists the device."
_QUOTED: Final = 90  # characters of a line
_MADE: Final[Mapping[type[Action], str]] = {  # what a probe shows
    SetVariable: "The variable is set where the program starts.",
    ChangePackages: "The listed version is the one that was installed.",
    ControlService: "The service is active.",
    ChangeModule: "The module is loaded (the command prints its name).",
    ChangeSystemPackages: "The package is installed.",
}
_UNLOADED: Final = "The module is no longer loaded (the command prints nothing)."
_LISTS: Final = "nvidia-smi -L"  # in the table of tools: what lists the devices
_FRAMEWORKS: Final = ("torch", "jax", "jaxlib", "tensorflow")
_OWN_KERNELS: Final = "ggml-program"  # ships its own GPU code: an installed torch proves nothing
_PYTHON: Final = pattern(r"(?:; |^)python3? -c '[^']{0,400}'", exact_case=True)
_IMPORTS_TORCH: Final = pattern(r"\bimport [\w., ]{0,60}\btorch\b", exact_case=True)
_PACKAGE: Final = "{package}"  # in the table: what the first remedy installs
_OF_ROOT: Final = pattern(r"\bsudo |\bdmesg\b|\bjournalctl\b", exact_case=True)


def verification_of(check: "Check", problem: "Problem", actions: Sequence[Action], here: Environment) -> Proof | None:
    """Return how to verify that a fault is gone: from the problem's or the check's table, or from what its first
    remedy makes true, or by the line that must no longer come; None if nothing of this is known.

    actions  of the first remedy
    """
    again = {"text": _LIVE, "command": "accel doctor"} if here.facts.live else _without_a_table(check, problem, here)
    shown = _shown(actions, here)
    if shown is not None and here.facts.live:
        again["command"] = f"{shown[1]}; accel doctor"
    elif shown is not None:
        line = _failing_line(problem, here)
        gone = f", and what failed no longer prints “{line}”." if line is not None else "."
        again = {"text": f"{_seen(shown[0]).removesuffix('.')}{gone}", "command": shown[1]}
    known = here.specs.causes.get(check.name)
    told = problem.verification or (known["verification"] if known is not None else again)
    changed = [one for one in actions if isinstance(one, ChangePackages | BuildFromSource)]
    moved = {name for one in changed for name in names_of(one)}
    if _PACKAGE in told.get("command", ""):
        told = {**told, "command": told["command"].replace(_PACKAGE, min(moved))} if moved else again
    of_another = bool(here.facts.stated(_OWN_KERNELS)) or (not actions and not _is_of_torch(here))
    of_another = of_another or (bool(changed) and moved.isdisjoint(_FRAMEWORKS) and not _is_of_torch(here))
    if of_another and _IMPORTS_TORCH.search(told.get("command", "")):
        rest = _PYTHON.sub("", told["command"]).removeprefix("; ")
        told = {**told, "command": rest} if rest else again
    foreign = is_of_others(told.get("text", ""), makers_shown(here.facts, here.specs), here.specs)
    if told is not again and (foreign or ("command" in told and _by_this_reader(told["command"], here) is None)):
        told = again
    if not told:
        return None
    command = _by_this_reader(told["command"], here) if "command" in told else None
    typed = rendered(in_form(Remedy(text=told["text"], command=command), here), here)
    if typed.command is None and command is not None:  # of several parts, those that this machine has
        return Proof(text=typed.text, command=looked_at_here(command, here.facts, here.specs, here.powershell))
    return Proof(text=typed.text, command=typed.command)


def probe_of(actions: Sequence[Action], here: Environment) -> Proof | None:
    """Return how this reader sees that actions had their effect; None if nothing is known that shows it."""
    shown = _shown(actions, here)
    command = _by_this_reader(shown[1], here) if shown is not None else None
    if shown is None or command is None:
        return None
    typed = rendered(in_form(Remedy(text=_seen(shown[0]), command=command), here), here)
    return Proof(text=typed.text, command=typed.command) if typed.command is not None else None


def _shown(actions: Sequence[Action], here: Environment) -> tuple[Action, str] | None:
    """Return the action that shows best what was done, with the command that shows it."""
    others = [one for one in actions if not isinstance(one, SetVariable | Inspect)]  # variables are a means to these
    made = [(one, probe) for one in others or actions if (probe := _probe(one, here)) is not None]
    made.sort(key=lambda it: (isinstance(it[0], ChangeSystemPackages), _unloads(it[0])))  # mostly a means to the rest
    return made[0] if made else None


def _seen(action: Action) -> str:
    return _UNLOADED if _unloads(action) else _UNSET if _unsets(action) else _MADE[type(action)]


def _without_a_table(check: "Check", problem: "Problem", here: Environment) -> dict[str, str]:
    """Return what a reader of a text sees: the only maker's tool lists its device, or an error no longer comes."""
    makers = makers_shown(here.facts, here.specs)
    if check.layer in ("driver", "hardware") and len(makers) == 1:
        rows = shells_table(here.specs).get("device_tools", ())
        tool = in_tool_of(_family(next(iter(makers)), here), _LISTS, rows)
        if tool is not None and system_shown(here.facts, here.specs) != "windows":
            return {"text": _OF_A_TOOL.format(tool.partition(" ")[0]), "command": tool}
    line = _failing_line(problem, here)
    return {"text": _OF_A_LINE.format(line)} if line is not None else {}


def _failing_line(problem: "Problem", here: Environment) -> str | None:
    """Return the first error line of the evidence, shortened; None if the evidence has none."""
    printed = [one for one in observations_of(here.facts.snapshot) if _is_error(one)]
    lines = (e.value for e in problem.evidence if any(share_a_line(e, o) or e.value in o.text for o in printed))
    line = next((one for one in lines if " " in one), None)
    if line is None:
        return None
    from accel.text.excerpt import excerpt  # most findings have their own row

    return excerpt(line, (problem.title,), _QUOTED)


def _is_error(one: Observation) -> bool:
    return isinstance(one, ErrorSeen | Missing | Raised) or (isinstance(one, Complaint) and one.certain)


def _unloads(action: Action) -> bool:
    return isinstance(action, ChangeModule) and any(effect[1] == "unload" for effect in action.effects())


def _unsets(action: Action) -> bool:
    return isinstance(action, SetVariable) and action.command.tool == "unset"


def _is_of_torch(here: Environment) -> bool:
    """Return whether the text involves torch: otherwise a test of torch says nothing about the program."""
    if here.facts.live or here.facts.framework("torch") is not None or here.facts.package("torch") is not None:
        return True
    return any("torch" in one.text.lower() for one in here.facts.snapshot.observations)


def _probe(action: Action, here: Environment) -> str | None:
    """Return the command that shows what an action makes true; None if there is none."""
    command = action.command
    if isinstance(action, SetVariable) and command.tool == "export":
        return command_line("printenv", variable_word(command.variables[0][0]))
    if _unsets(action) and command.operands:
        return command_line("printenv", variable_word(command.operands[0]))
    if isinstance(action, ChangePackages) and command.verb == "install":
        listing = "conda list" if command.tool in ("conda", "mamba", "micromamba") else "pip show"
        name = min(names_of(action), default="")
        return command_line(listing, package_word(name.partition("-")[0] if name.endswith(".whl") else name or None))
    if isinstance(action, ControlService) and command.verb in ("start", "restart", "enable") and command.operands:
        return command_line("systemctl is-active", name_word(command.operands[0]))
    if isinstance(action, ChangeModule) and command.tool in ("modprobe", "rmmod"):
        modules = [effect[2] for effect in action.effects() if effect[0] == "module"]
        return command_line("lsmod | grep", name_word(min(modules, default=None)))
    if isinstance(action, ChangeSystemPackages) and command.verb == "install" and command.operands:
        typed = of_this_system(action.step, here.facts, here.specs)
        words = [token.raw.strip("'\"") for token in typed.words if token.raw != "sudo"] if typed is not None else []
        named = next((word for word in words[2:] if not word.startswith("-")), None)
        rows = shells_table(here.specs).get("package_managers", ())
        lister = next((row.get("lists") for row in rows if words[:1] in ([row["name"]], [f"{row['name']}-get"])), None)
        return command_line(lister, system_package_word(named)) if lister is not None else None
    return None


def _by_this_reader(command: str, here: Environment) -> str | None:
    """Return the parts that the reader may run and whose tool is installed; None if none is left."""
    parts = parts_of(command)
    if here.root is False or (here.provider is not None and here.provider["is"] == "container"):
        parts = [part for part in parts if not _OF_ROOT.search(part)]
    lacking = here.specs.hints.lacking(system_shown(here.facts, here.specs), ())
    parts = [part for part in parts if not any(word in part for word in lacking)]
    makers = makers_shown(here.facts, here.specs)
    if makers and "nvidia" not in makers:
        rows = shells_table(here.specs).get("device_tools", ())
        if len(makers) == 1:
            maker = _family(next(iter(makers)), here)
            parts = [own for part in parts if (own := in_tool_of(maker, part, rows)) is not None]
        parts = [part for part in parts if not is_of_others(part, makers, here.specs)]
    return "; ".join(parts) or None


def _family(maker: str, here: Environment) -> str:
    """Return whose tools a maker's devices have: those of Intel's GPUs do not list Gaudi."""
    rows = shells_table(here.specs).get("device_families", ())
    of_it = (row["tools"] for row in rows if row["backend"] == maker and holds(row["known_by"], here.facts))
    return next(of_it, maker)


def in_tool_of(maker: str, part: str, rows: "list[Mapping[str, Any]]") -> str | None:
    """Return the equivalent command of the vendor's own tool; None if it has none."""
    row: Mapping[str, Any] = next((row for row in rows if row["nvidia"] == part), {})
    found: str | None = row.get(maker, None if "nvidia-smi" in part else part)
    return found
