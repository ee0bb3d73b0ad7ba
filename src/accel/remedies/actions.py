"""A remedy's command as typed actions: what each changes, whether root runs it, and its effects. Pure.

    pip install 'numpy<2'               ChangePackages     effect ("package", "install numpy<2", "")
    export NCCL_P2P_DISABLE=1           SetVariable        effect ("variable", "NCCL_P2P_DISABLE", "1")
    docker run --gpus all IMAGE         StartWith          effect ("option", "--gpus", "all")
    sudo modprobe nvidia_uvm            ChangeModule       as root
    sudo reboot                         Reboot

Checks and tables write commands for a POSIX shell; they are parsed only here. specs/language/actions.yaml says what
each program does. A command that is not a list of plain steps is one opaque Run.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

from accel.facts.readers.mechanisms.command_words import taken_apart
from accel.model.dataclass import dataclass
from accel.model.observation import Command
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.shells import Step, steps_of

Touches = Literal["nothing", "program", "environment", "host"]
Effect = tuple[str, str, str]

_WITHOUT_EFFECT: Final = frozenset(  # options that change how an installer works, not what it installs
    (
        "-y",
        "--yes",
        "-q",
        "--quiet",
        "-v",
        "--upgrade",
        "-U",
        "--user",
        "--no-cache-dir",
        "--no-cache",
        "-S",
        "MAX_JOBS",
    )
)
_INDEXES: Final = ("--index-url", "--extra-index-url", "-i", "-f", "--find-links", "--index")
_NAME: Final = pattern(r"[A-Za-z][A-Za-z0-9_.-]{0,80}", exact_case=True)
_INTERPRETER: Final = pattern(r"[^\s'\"`$]{0,200}[/\\](?:python|pip)[0-9.]{0,6}(?:\.exe)?(?=['\"]?\s)")
_PLAIN_STARTS: Final = frozenset(("--rm", "-it", "-i", "-t", "-d", "--interactive", "--tty", "--detach"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One step of a remedy. step: its words for a POSIX shell; command: the parsed form, without "sudo"."""

    step: Step
    command: Command
    touches: ClassVar[Touches] = "environment"

    @property
    def as_root(self) -> bool:
        """Whether root runs it."""
        return any(token.raw == "sudo" for token in self.step.words[:1])

    def effects(self) -> frozenset[Effect]:
        """Return what it changes; two commands with the same effects are equivalent."""
        words = " ".join((self.command.tool, self.command.verb, *self.command.options, *self.command.operands))
        return frozenset({("run", " ".join(words.split()), "")})


class Run(Action):
    """A program whose effects are unknown, identified by its arguments."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each variable and long option; the words themselves if there are none."""
        found = frozenset(e for e in _started_with(self.command) if e[0] != "option" or e[1].startswith("--"))
        return found or Action.effects(self)


class Inspect(Action):
    """Shows something and changes nothing."""

    __slots__ = ()
    touches: ClassVar[Touches] = "nothing"

    def effects(self) -> frozenset[Effect]:
        """Return nothing."""
        return frozenset()


class ChangePackages(Action):
    """Installs or removes Python packages."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each package: the verb with the requirement, the source and the manner."""
        command = self.command
        how = sorted(
            option
            for option in command.options
            if option.split("=", 1)[0] not in _WITHOUT_EFFECT and not option.startswith(_INDEXES)
        )
        index = sorted(o.partition("=")[2].rstrip("/") for o in command.options if o.startswith(_INDEXES))
        words = " ".join(token.raw for token in self.step.words) or command.text
        python = _INTERPRETER.search(words)  # another interpreter's packages are others
        built = sorted(f"{name}={value}" for name, value in command.variables if name not in _WITHOUT_EFFECT)
        source = " ".join((*((python[0],) if python is not None else ()), *index, *how, *built))
        verb = {"add": "install", "uninstall": "remove"}.get(command.verb, command.verb)
        wanted = (one for one in command.operands if one != "install")
        return frozenset(("package", f"{verb} {one.lower().replace('_', '-')}", source) for one in wanted)


class SetVariable(Action):
    """Sets or unsets environment variables for programs started from the same shell."""

    __slots__ = ()
    touches: ClassVar[Touches] = "program"

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each variable; the value of an unset one is ""."""
        cleared = (self.command.operands or self.command.verb.split()) if self.command.tool == "unset" else ()
        return frozenset(
            (
                *(("variable", name, value) for name, value in self.command.variables),
                *(("variable", name, "") for name in cleared),
            )
        )


class StartWith(Action):
    """Starts a container or a job with certain options."""

    __slots__ = ()
    touches: ClassVar[Touches] = "program"

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each option; a variable that is passed in counts as set."""
        return _started_with(self.command)


class BuildFromSource(Action):
    """Compiles something, or fetches its source."""

    __slots__ = ()


class PlaceFile(Action):
    """Creates, links, edits or deletes files."""

    __slots__ = ()


class EndProcess(Action):
    """Ends processes or jobs."""

    __slots__ = ()
    touches: ClassVar[Touches] = "program"


class ClusterChange(Action):
    """Changes an object of a cluster."""

    __slots__ = ()


class OfHost(Action):
    """Changes the system that owns the kernel and the devices."""

    __slots__ = ()
    touches: ClassVar[Touches] = "host"


def _of_packages(action: Action) -> frozenset[Effect]:
    return frozenset(("system-package", action.command.verb, name) for name in action.command.operands)


class ChangeSystemPackages(Action):
    """Installs or removes packages of the distribution; in a container, those of the container."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each package."""
        return _of_packages(self)


class ChangeDriver(OfHost):
    """Installs, removes or replaces a driver."""

    __slots__ = ()


class ChangeHostPackages(OfHost):
    """Installs or removes packages that only work on the host, such as a container engine."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each package."""
        return _of_packages(self)


class ChangeModule(OfHost):
    """Loads, unloads or builds a kernel module."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each module loaded or unloaded; for one that is built, the words themselves."""
        command = self.command
        if command.tool not in ("modprobe", "rmmod", "insmod"):
            return super().effects()
        unloads = command.tool == "rmmod" or not {"-r", "--remove"}.isdisjoint(command.options)
        names = (one.replace("-", "_") for one in (command.verb, *command.operands) if one and "=" not in one)
        return frozenset(("module", "unload" if unloads else "load", name) for name in names) or super().effects()


class ControlService(OfHost):
    """Starts, stops or enables a service."""

    __slots__ = ()


class ChangeBoot(OfHost):
    """Changes how the system boots: kernel options, initial RAM disk, keys."""

    __slots__ = ()


class SystemSetting(OfHost):
    """Changes a setting of the system."""

    __slots__ = ()


class DeviceSetting(OfHost):
    """Changes a setting of a device."""

    __slots__ = ()


class ResetDevice(OfHost):
    """Resets a device."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return the one effect of any reset: a tool that refuses to reset one device refuses others like it."""
        return frozenset({RESET})


class GrantAccess(OfHost):
    """Lets a user or a group use a device or a file."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return one effect for each group that a user joins."""
        if self.command.tool != "usermod":
            return super().effects()
        options = (option.partition("=") for option in self.command.options)
        groups = (group for name, _, value in options if name in ("-aG", "-G") for group in value.split(","))
        return frozenset(("group", group, "") for group in groups if group) or super().effects()


class Reboot(OfHost):
    """Restarts the machine, or takes its power away."""

    __slots__ = ()

    def effects(self) -> frozenset[Effect]:
        """Return the one effect of any restart, of any power cycle, or of a stop at the firmware's setup."""
        if any(option in ("--firmware-setup", "/fw") for option in self.command.options):
            return frozenset({("firmware", "", "")})
        return frozenset({POWER if "poweroff" in (self.command.tool, self.command.verb) else REBOOT})


REBOOT: Final[Effect] = ("reboot", "", "")
RESET: Final[Effect] = ("reset", "", "")
POWER: Final[Effect] = ("power", "", "")
RUNGS: Final = (RESET, REBOOT, POWER)  # each does what those before it do
_TYPES: Final[Mapping[str, type[Action]]] = {
    one.__name__: one
    for one in (
        *(Run, Inspect, ChangePackages, SetVariable, StartWith, BuildFromSource, PlaceFile, EndProcess, ClusterChange),
        *(
            ChangeSystemPackages,
            ChangeHostPackages,
            ChangeDriver,
            ChangeModule,
            ControlService,
            ChangeBoot,
            SystemSetting,
        ),
        *(DeviceSetting, ResetDevice, GrantAccess, Reboot),
    )
}


@lru_cache(maxsize=1000)  # planning, rendering and verification each ask for those of one command
def actions_of(command: str | None, specs: Specs) -> tuple[Action, ...]:
    """Parse a command into actions: () for none, one opaque Run if it is not a list of plain steps."""
    if command is None:
        return ()
    steps = steps_of(command)
    if steps is None:
        return (Run(step=Step("", ()), command=Command(text=command, tool="", operands=(command,))),)
    return tuple(action_of(step, specs) for step in steps)


def action_of(step: Step, specs: Specs) -> Action:
    """Return one step as an action."""
    command = _command(step, specs)
    return type_of(command, specs)(step=step, command=command)


def type_of(command: Command, specs: Specs) -> type[Action]:
    """Return the kind of action that a command is, whether from a remedy or a text."""
    rows = specs.cached("actions by tool", lambda: _by_tool(specs.table("language/actions") or {}))
    row = next((row for row in rows.get(command.tool, ()) if _fits(row, command)), None)
    return _TYPES[row["action"]] if row is not None else Run


def _by_tool(table: Mapping[str, Any]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the rows of each tool in the order of the table: the first that fits counts."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in table.get("actions", ()):
        for tool in row["tools"]:
            found.setdefault(tool, []).append(row)
    return found


def effects_of(actions: Sequence[Action]) -> frozenset[Effect]:
    """Return the combined effects of several actions; those of unknown programs only count if there are no others."""
    found = frozenset(effect for action in actions for effect in action.effects())
    return frozenset(effect for effect in found if effect[0] != "run") or found


def names_of(action: Action) -> frozenset[str]:
    """Return the packages that an action is about, without versions and extras."""
    found = (_NAME.match(operand) for operand in action.command.operands)
    return frozenset(name[0].lower().replace("_", "-") for name in found if name is not None)


def _command(step: Step, specs: Specs) -> Command:
    values = [token.value if token.value is not None else token.raw for token in step.words]
    if values[:1] in (["export"], ["unset"]) and len(values) > 1:
        pairs = tuple((name, value) for name, _, value in (word.partition("=") for word in values[1:]))
        if values[0] == "export":
            return Command(text="", tool="export", variables=pairs)
        return Command(text="", tool="unset", operands=tuple(name for name, _ in pairs))
    fields = taken_apart(values, specs.commands, asked=True)
    return Command(text="", **fields) if fields is not None else Command(text="", tool=values[0] if values else "")


def _fits(row: Mapping[str, Any], command: Command) -> bool:
    if "verbs" in row and not {_verb(command), command.verb or _verb(command)}.intersection(row["verbs"]):
        return False
    if "options" in row and not any(_is(option, row["options"]) for option in command.options):
        return False
    return "operands" not in row or any(
        fnmatchcase(operand, form) for operand in command.operands for form in row["operands"]
    )


def _verb(command: Command) -> str:
    """Return the first word of a command's verb; for a tool with an unknown syntax, its first operand."""
    return (command.verb.split() or [*command.operands, ""])[0]


def _is(option: str, names: Sequence[str]) -> bool:
    return any(option == name or option.startswith(f"{name}=") for name in names)


def _started_with(command: Command) -> frozenset[Effect]:
    variables = frozenset(("variable", name, value) for name, value in command.variables)
    return variables | frozenset(_option_effects(command.options))


def _option_effects(options: Sequence[str]) -> Iterator[Effect]:
    for option in options:
        name, _, value = option.partition("=")
        if name in ("-e", "--env") and "=" in value:
            variable, _, value = value.partition("=")
            yield "variable", variable, value
        elif option not in _PLAIN_STARTS:
            yield "option", name, value
