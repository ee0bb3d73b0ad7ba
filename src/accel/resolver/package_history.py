"""Packages of the system whose name or hardware changed with their releases: specs/system/package_history. Pure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.query import holds
from accel.resolver.system_tools import plain_words
from accel.text.shells import Step

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_INSTALLERS: Final = {"apt": ("purge", "="), "apt-get": ("purge", "="), "dnf": ("remove", "-"), "yum": ("remove", "-")}


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
