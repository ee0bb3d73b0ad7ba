"""Who is right: what a tool picked, against resolve_machines.yaml. Pure."""

from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any, Literal

from packaging.specifiers import SpecifierSet

Outcome = Literal["right", "wrong", "not asked"]

HOW = {
    "kernels": "no kernel image",
    "driver": "CUDA does not start",
    "install": "would not install or import",
    "cpu": "GPU left idle",
    "declined": "nothing offered, though a build fits",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """What a tool answered. version and build None: it offers nothing. not_asked: why it could not be asked."""

    version: str | None = None
    build: str | None = None
    said: str = ""
    not_asked: str | None = None
    seconds: float | None = None

    @property
    def label(self) -> str:
        """The pick, as a table has it: "2.14.1+cu126", "nothing"."""
        if self.not_asked is not None:
            return "not asked"
        if self.build is None:
            return "nothing"
        return f"{self.version}+{self.build}" if self.version else self.build


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The judgement and its reason. how: a key of HOW, where it is wrong."""

    outcome: Outcome
    because: str
    how: str | None = None


class Undecided(Exception):
    """The truth says nothing of a pick: a row must be added by hand."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of one machine."""

    name: str
    machine: dict[str, Any]
    asks: str
    newest: str | None
    runs: list[dict[str, Any]]
    fails: list[dict[str, Any]]
    why: str
    sources: list[str] = field(default_factory=list)


def truths(text: dict[str, Any]) -> list[Truth]:
    """Return the machines of the file."""
    return [
        Truth(name, m["machine"], m["asks"], m["newest"], m["runs"], m["fails"], m["why"], m["from"])
        for name, m in text["machines"].items()
    ]


def judge(truth: Truth, pick: Pick) -> Verdict:
    """Return whether the pick would run on the machine, and why. Raises Undecided."""
    if pick.not_asked is not None:
        return Verdict(outcome="not asked", because=pick.not_asked)
    if pick.build is None:
        return _declined(truth)
    row = _named(truth.runs, pick)
    if row is not None:
        return Verdict(outcome="right", because=row.get("remark", ""))
    row = _named(truth.fails, pick)
    if row is not None:
        return Verdict(outcome="wrong", how=row["how"], because=row["because"])
    if pick.build == "cpu":
        if truth.newest is None:
            return Verdict(outcome="right", because="on the CPU: no GPU build works")
        return Verdict(outcome="wrong", how="cpu", because=f"{truth.newest} fits")
    raise Undecided(f"{truth.name}: nothing is said of {pick.label}")


def _declined(truth: Truth) -> Verdict:
    if truth.newest is None:
        return Verdict(outcome="right", because="offers nothing: none works")
    return Verdict(outcome="wrong", how="declined", because=f"{truth.newest} fits")


def _named(rows: list[dict[str, Any]], pick: Pick) -> dict[str, Any] | None:
    for row in rows:
        if any(fnmatch(pick.build or "", pattern) for pattern in row["builds"]) and (
            "versions" not in row or SpecifierSet(row["versions"]).contains(pick.version or "0")
        ):
            return row
    return None
