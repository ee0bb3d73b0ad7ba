"""Packages of the system whose name or hardware changed with their releases: specs/system/package_history. Pure.

sudo apt install dh-dkms dkms                sudo apt install debhelper dkms, on Ubuntu 22.04
apt install gcc-12 && export CC=gcc-12       apt install gcc-10 && export CC=gcc-10, on Ubuntu 20.04
apt install "linux-headers-$(uname -r)"      nothing but words for a mainline kernel
"""

from collections.abc import Collection, Mapping, Sequence
from operator import ge, le
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
    table = specs.table("system/package_history") or {}
    name = (facts.host.distribution or "").lower()
    other = {}
    for row in table.get("releases", ()):  # from the newest down, as one row may lead to another
        if not _is_there(row, name):
            other = {old: row["otherwise"] if new == row["package"] else new for old, new in other.items()}
            other[row["package"]] = row["otherwise"]
    rows = table.get("kernels", ())
    lacking = [row for row in rows if pattern(row["named"]).search(facts.host.kernel or "")]
    installed = {token.raw.strip("'\"") for step in steps if _installs(step) for token in step.words}
    compilers = {row["package"] for row in table.get("releases", ()) if row.get("compiler")}
    moved = {old: new for old, new in other.items() if old in installed}
    told = [row["says"] for row in lacking if row["package"] in installed]
    if not moved and not told:
        return steps, ()
    gone = {row["package"] for row in lacking}
    kept: list[Step] = []
    for step in steps:
        words = [_renamed(token, moved, _installs(step), compilers) for token in step.words]
        if _installs(step):
            words = list(dict.fromkeys(token for token in words if token.raw.strip("'\"") not in gone))
            if all(token.raw.startswith("-") for token in words[2 + (words[0].raw == "sudo") :]):
                continue  # nothing is left to install
        kept.append(Step(step.by if kept else "", tuple(words)))
    said = [f"This release has no {old}: {new} takes its place." for old, new in moved.items() if old in compilers]
    return kept, (*told, *said[:1])


def _is_there(row: Mapping[str, Any], distribution: str) -> bool:
    """Return whether a distribution's release has a package; True if either is unknown."""
    for key, holds_for in (("first", ge), ("last", le)):
        bound = next((bound for name, bound in row.get(key, {}).items() if name in distribution), None)
        release = _RELEASE.search(distribution)
        if bound is not None and release is not None and not holds_for(numbers(release[0]), numbers(bound)):
            return False
    return True


def _installs(step: Step) -> bool:
    raw = [token.raw for token in step.words if token.raw != "sudo"]
    return raw[:2] in (["apt", "install"], ["apt-get", "install"])


def _renamed(token: Token, moved: Mapping[str, str], is_package: bool, compilers: Collection[str]) -> Token:
    if is_package and (new := moved.get(token.raw)) is not None:
        return Token(new, new)
    ends = (old for old in moved if old in compilers and not is_package and token.raw.endswith(old))
    if (old := next(ends, None)) is None:
        return token
    raw = f"{token.raw.removesuffix(old)}{moved[old]}"
    return Token(raw, raw)


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
