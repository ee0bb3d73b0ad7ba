"""Packages of the system that not every release has, or under another name: specs/system/package_history. Pure.

apt install gcc-12 && export CC=gcc-12       apt install gcc-10 && export CC=gcc-10, on Ubuntu 20.04
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.query import holds
from accel.resolver.system_tools import plain_words
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.text.shells import Step, Token

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_RELEASE: Final = pattern(r"\d{1,2}(?:\.\d{1,2})?(?![\d])", exact_case=True)
_INSTALLERS: Final = {"apt": ("purge", "="), "apt-get": ("purge", "="), "dnf": ("remove", "-"), "yum": ("remove", "-")}


def as_in_this_release(steps: Sequence[Step], facts: "Facts", specs: "Specs") -> tuple[Sequence[Step], Sequence[str]]:
    """Return steps of apt with packages that this release of the distribution has, and what to say of the others."""
    told: list[str] = []
    for row in (specs.table("system/package_history") or {}).get("releases", ()):  # one row may lead to the next
        if not _is_there(row, facts) and any(_operands(step).count(row["package"]) for step in steps):
            changed = [(step, _changed(step, row)) for step in steps]
            steps = [now for was, now in changed if _operands(now) or not _operands(was)]
            told += [row["says"]] if "says" in row else []
    return steps, told


def _is_there(row: Mapping[str, Any], facts: "Facts") -> bool:
    """Return whether this release and kernel have a package; True if they are unknown."""
    name = (facts.host.distribution or "").lower()
    release = _RELEASE.search(name)
    here = numbers(release[0]) if release is not None else None
    first, last = (next((v for k, v in row.get(key, {}).items() if k in name), None) for key in ("first", "last"))
    if here is not None and ((first and here < numbers(first)) or (last and here > numbers(last))):
        return False
    return "kernel" not in row or pattern(row["kernel"]).search(facts.host.kernel or "") is None


def _operands(step: Step) -> list[str]:
    """Return what a step installs by apt; [] for any other."""
    raw = [token.raw.strip("'\"") for token in step.words if token.raw != "sudo"]
    installs = raw[:2] in (["apt", "install"], ["apt-get", "install"])
    return [word for word in raw[2:] if not word.startswith("-")] if installs else []


def _changed(step: Step, row: Mapping[str, Any]) -> Step:
    words: list[Token] = []
    for token in step.words:
        before, found, behind = token.raw.strip("'\"").rpartition(row["package"])
        if not found or behind or before[-1:] not in ("", "=", "/"):
            words.append(token)
        elif row["otherwise"]:
            words += plain_words(f"{before}{row['otherwise']}")
    return Step(step.by, tuple(words))


def as_packaged_now(step: Step, facts: "Facts", specs: "Specs") -> tuple[Sequence[Step], str | None]:
    """Return the steps that install what a step installs, and what to say of it; the step alone if nothing changed."""
    words = [token.raw for token in step.words if token.raw != "sudo"]
    rows: Sequence[Mapping[str, Any]] = (specs.table("system/package_history") or {}).get("packages", ())
    row = next((row for row in rows if row["package"] in words), None)
    if row is None or words[0] not in _INSTALLERS or words[1] not in ("install", "update"):
        return (step,), None
    remove, joined = _INSTALLERS[words[0]]
    said, steps, tokens = [], [], list(step.words)
    if "old" in row and facts.mentions(row["old"]):
        said.append(row["renamed"])
        tokens = [token for token in tokens if token.raw != "--only-upgrade"]  # the new name is not installed yet
        if step.by != "||":  # what is before it removes it
            steps.append(Step(step.by, plain_words("sudo", words[0], remove, "-y", row["old"])))
            step = Step("&&", step.words)
    if "last" in row and holds(row["when"], facts):
        said.append(row["dropped"])
        pinned = plain_words(f"'{row['package']}{joined}{row['last']}'")
        tokens = [pinned[0] if token.raw == row["package"] else token for token in tokens]
    return (*steps, Step(step.by, tuple(tokens))), " ".join(said) or None
