"""What a remedy's words say about the place it is for and whether it only shows something; and its form there. Pure.

In a container: pass every node.        container
On Windows: install AMD's wheels.       windows
Outside containers: enlarge /dev/shm.   host
Qualcomm: put the skel library …        a machine with that vendor's devices
SGLang: raise --mem-fraction-static …   if that program is mentioned
See which GPU is full.                  only shows something

sudo dkms autoinstall                   WSL, macOS: no effect there; what is done instead takes its place
sudo systemctl restart docker           rootless Docker: systemctl --user restart docker
sudo modprobe nvidia_uvm                in an LXC container: on the host that runs it

The first words of a remedy are in specs/language/remedies.yaml, the places in specs/language/environments.yaml.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import in_container, is_kubernetes, is_of_class
from accel.model.dataclass import dataclass, replace
from accel.model.diagnosis import Remedy
from accel.model.observation import Command, Product
from accel.remedies.actions import Action, GrantAccess, OfHost, actions_of, names_of
from accel.resolver.system_tools import plain_words
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, steps_of, written

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.remedies.environment import Environment
    from accel.vendors.contract.check import Check

_CLAUSE: Final = pattern(r"[.;:,!] |\band |\bor |\bthen ", exact_case=True)
_WORD: Final = pattern(r"[^a-z0-9]")
_CONDA: Final = ("conda", "mamba", "micromamba")
_SAYS_WHERE: Final = pattern(r"\b(?:hosts?|nodes?|containers?|windows|operator|pods?)\b")
LOST_AGAIN: Final = "lost-again"
_OF_SYSTEM: Final = ("admin", "reboot", "reset")


@dataclass(frozen=True, slots=True)
class Planned:
    """A remedy and its actions, as its check wrote them and as they are typed here. of: the check's own remedy."""

    remedy: Remedy
    actions: tuple[Action, ...]
    of: Remedy | None = None

    def with_(self, remedy: Remedy) -> "Planned":
        """Return the same with other words or another command."""
        return replace(self, remedy=remedy)


def possible(steps: Sequence[Planned], check: "Check", here: "Environment") -> Sequence[Planned]:
    """Return the steps that have an effect in this kind of environment, and the replacements for the others."""
    if any(effect[0] == "variable" for one in steps for action in one.actions for effect in action.effects()):
        from accel.remedies.variables import where_it_counts  # few remedies set or unset one

        steps = [Planned(*where_it_counts(one.remedy, one.actions, here), one.of) for one in steps]
    if any(isinstance(action, GrantAccess) for one in steps for action in one.actions) and not here.facts.live:
        from accel.remedies.services import for_its_user  # few remedies put a user into a group

        steps = [Planned(*for_its_user(one.remedy, one.actions, here), one.of) for one in steps]
    for row in here.rows:
        if "before" in row and check.layer in row["layers"]:
            steps = [_own(row["before"], here), *steps]
        if "cannot" in row or "findings" in row:
            steps = _replaced(steps, row, check, here)
        if "host" in row:
            steps = [_on_host(one, row["host"]) for one in steps]
        steps = [_in_form(one, row, here) for one in steps]
    if here.facts.stated(LOST_AGAIN) and not here.facts.live:
        from accel.remedies.lasting import made_to_last  # few texts say that it recurs

        steps = [Planned(*made_to_last(one.remedy, one.actions, here), one.of) for one in steps]
    return steps


def _replaced(
    steps: Sequence[Planned], row: Mapping[str, Any], check: "Check", here: "Environment"
) -> Sequence[Planned]:
    """Return the steps with those that are pointless in a kind of environment replaced by what is done there."""
    futile = [_is_futile(one, row, check) for one in steps]
    if not any(futile) or not _is_about(row, check):
        return steps
    left = [one for one, is_futile in zip(steps, futile, strict=True) if not is_futile]
    if "instead" not in row:
        return left or [one.with_(replace(one.remedy, command=None)) for one in steps]
    at = futile.index(True)
    return [*left[:at], _own(row["instead"], here), *left[at:]]


def _own(told: Mapping[str, Any], here: "Environment") -> Planned:
    """Return a step that the table itself states."""
    command = told.get("command")
    remedy = Remedy(text=told["text"], command=command, action=told["action"], kind=told.get("kind", "mend"))
    return Planned(remedy, actions_of(command, here.specs))


def _is_about(row: Mapping[str, Any], check: "Check") -> bool:
    """Return whether a row concerns the findings of a check, by the letters of its code."""
    return check.code.startswith(tuple(row.get("codes", ("",)))) and not check.code.startswith(
        tuple(row.get("not_codes", ()))
    )


def _is_futile(step: Planned, row: Mapping[str, Any], check: "Check") -> bool:
    """Return whether a step is pointless in a kind of environment: by what it does, or by the finding that it fixes."""
    words = (step.remedy.command or "").split()
    if any(word in words for word in row.get("unless", ())):
        return False
    if (check.name in row.get("findings", ()) or check.layer in row.get("layers", ())) and step.remedy.kind == "mend":
        return True
    return any(
        type(one).__name__ in row.get("cannot", ())
        and ("of" not in row or not names_of(one).isdisjoint(row["of"]))
        and ("alone" not in row or names_of(one) <= set(row["alone"]))
        and ("tools" not in row or one.command.tool in row["tools"])
        and ("naming" not in row or _names(one, row["naming"]))
        for one in step.actions
    )


def _names(action: Action, names: Sequence[str]) -> bool:
    """Return whether a command names a service or a package, as an operand or as an option's value."""
    return any(name in word for name in names for word in (*action.command.operands, *action.command.options))


def _on_host(step: Planned, where: str) -> Planned:
    """Return a step that changes the host with words that say where to type it."""
    told = not step.actions and step.remedy.kind == "mend" and step.remedy.action in _OF_SYSTEM
    if not (told or any(isinstance(one, OfHost) for one in step.actions)) or _SAYS_WHERE.search(step.remedy.text):
        return step
    said = step.remedy.text
    said = f"{said[:1].lower()}{said[1:]}" if said[1:2].islower() else said
    return step.with_(replace(step.remedy, text=f"{where}{said}"))


def in_form(remedy: Remedy, here: "Environment") -> Remedy:
    """Return a remedy with the paths, units and tools of these kinds of environments."""
    step = Planned(remedy, ())
    for row in here.rows:
        step = _in_form(step, row, here)
    return step.remedy


def _in_form(step: Planned, row: Mapping[str, Any], here: "Environment") -> Planned:
    text, command = step.remedy.text, step.remedy.command
    if "steps" not in row and "words" not in row:
        return step
    if any(word in (command or "").split() for word in row.get("unless", ())):
        return step
    for ours, theirs in row.get("words", ()):
        text = text.replace(ours, theirs)
    known = steps_of(command) if command is not None else None
    if known is not None:
        command = written([_typed(one, row) for one in known])
    if (text, command) == (step.remedy.text, step.remedy.command):
        return step
    return Planned(replace(step.remedy, text=text, command=command), actions_of(command, here.specs), step.of)


def _typed(step: Step, row: Mapping[str, Any]) -> Step:
    raw = [token.raw for token in step.words]
    for ours, theirs in row.get("steps", ()):
        begin = ours.split()
        if raw[: len(begin)] == begin:
            return Step(step.by, (*plain_words(*theirs.split()), *step.words[len(begin) :]))
    moved = {ours: theirs for ours, theirs in row.get("words", ()) if ours.startswith("/")}
    return Step(step.by, tuple(Token(moved.get(t.raw, t.raw), moved.get(t.raw, t.value)) for t in step.words))


def only_shows(text: str, table: Mapping[str, Any]) -> bool:
    """Return whether a step only shows something: it starts that way, and none of its clauses asks for a change."""
    said = text.lower()
    for word in table.get("binds", ()):
        said = said.removeprefix(word)
    if not said.startswith(tuple(table.get("looks", ()))):
        return False
    acts = frozenset(table.get("acts", ()))
    ends = [0, *(hit.end() for hit in _CLAUSE.finditer(said))]
    clauses = (said[start:].lstrip().rstrip(".") for start in ends[1:])
    return not any(clause.split(" ", 1)[0] in acts for clause in clauses)


def place_of(text: str, table: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the row of the place that a remedy's first words name; None if it is for any place."""
    return next((row for row in table.get("places", ()) if text.startswith(tuple(row["begins"]))), None)


def is_here(place: Mapping[str, Any], facts: "Facts") -> bool | None:
    """Return whether this machine, or the text's, is such a place; None if unknown."""
    if place["place"] == "maker":
        return _of_maker(place, facts)
    if place["place"] == "program":
        return True if _spoken_of(place["words"], facts) or facts.mentions(*place["words"]) else None
    return _PLACES[place["place"]](facts)


def _of_maker(place: Mapping[str, Any], facts: "Facts") -> bool | None:
    """Return whether devices of a vendor are present: listed by tools, named in prose, or mentioned in any line."""
    known = {report.backend for report in facts.snapshot.reports if report.backend != "cpu" and report.devices}
    known |= {one.vendor for one in facts.snapshot.observations if isinstance(one, Product) and one.vendor != "cpu"}
    if place.get("inside") and not in_container(facts):
        return None if facts.live else False
    if known & set(place["vendors"]) or _spoken_of(place["words"], facts):
        return True
    return False if known else None


def _spoken_of(words: Iterable[str], facts: "Facts") -> bool:
    wanted = frozenset(words)
    return any(not wanted.isdisjoint(_WORD.split(one.text.lower())) for one in facts.snapshot.observations)


def _container(facts: "Facts") -> bool | None:
    return True if in_container(facts) else False if facts.host.containerized is False else None


def _host(facts: "Facts") -> bool | None:
    inside = _container(facts)
    return None if inside is None else not inside


def _kubernetes(facts: "Facts") -> bool | None:
    return True if is_kubernetes(facts) else False if facts.host.containerized is False else None


def _windows(facts: "Facts") -> bool | None:
    return True if facts.host.wsl else _system(facts, "windows")


def _macos(facts: "Facts") -> bool | None:
    return _system(facts, "macos")


def _conda(facts: "Facts") -> bool | None:
    called = any(
        isinstance(one, Command) and one.tool in _CONDA and not one.advice for one in facts.snapshot.observations
    )
    return True if called or facts.variable("CONDA_PREFIX") is not None else None


def _guest(facts: "Facts") -> bool | None:
    return True if facts.host.virtualization is not None else None


def _system(facts: "Facts", name: str) -> bool | None:
    known = facts.host.system or ("linux" if is_of_class(facts, "linux") else None)
    return None if known is None else known == name


_PLACES: Final[Mapping[str, Callable[["Facts"], bool | None]]] = {
    "container": _container,
    "host": _host,
    "kubernetes": _kubernetes,
    "windows": _windows,
    "macos": _macos,
    "conda": _conda,
    "guest": _guest,
}
