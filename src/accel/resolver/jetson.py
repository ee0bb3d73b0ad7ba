"""The torch for a Jetson: NVIDIA's wheel for its JetPack and that JetPack's Python; no other has code for it. Pure.

Jetson Thor is like a server: the public wheels for 64-bit Arm have code for it.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.resolver.records import Chosen
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, path_word, requirement_word, url_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.resolver.request import Request
    from accel.resolver.target import Target
    from accel.specs import Specs
    from accel.vendors.contract.command import Word

_FOLDER: Final = pattern(r"/(?:\.local|usr(?:/local)?)/lib/python(?P<version>3\.\d{1,2})/")
_SAID: Final = "jetpack-said"
_BOUNDS: Final = ("<", ">", "<=", ">=", "!=", "≤", "≥", "below", "before", "than", "least")
_OR_NEWER: Final = ("+", " or newer", " or later", " and newer", " and later", " 以上")
_ASK: Final = (
    "NVIDIA builds torch for each JetPack and its Python, and no other wheel has code for a Jetson. The text "
    "does not show which JetPack this is; print it with:  cat /etc/nv_tegra_release"
)


def torch_of_jetson(facts: "Facts", specs: "Specs") -> Remedy:
    """Return how to install the torch for the JetPack; if the JetPack is unknown, what is missing."""
    said = [fact for fact in facts.stated(_SAID) if not _is_bound(fact)]
    rows = (specs.table("frameworks/jetson") or {}).get("releases", ())
    majors = {(key, (fact.value(key) or "").split(".")[0]) for fact in said for key in ("jetpack", "l4t")}
    have = facts.environment.python_version or _python_in_paths(facts) or ""
    row = next((row for row in rows if majors & {("jetpack", row["jetpack"]), ("l4t", row["l4t"])}), None)
    row = (
        row or _by_board(facts, rows) or next((row for row in rows if f"{have}.".startswith(f"{row['python']}.")), None)
    )
    if row is None:
        return Remedy(text=_ASK + ".")
    python = row["python"]
    text = f"Install NVIDIA's torch {row['torch']} for JetPack {row['jetpack']}, which is built for Python {python}"
    install = _install(row)
    if "file" in row:
        return Remedy(text=f"{text}.", command=_from_file(row))
    if f"{have}.".startswith(f"{python}.") or not have:
        away = command_line("pip uninstall -y torch torchvision torchaudio")
        return Remedy(
            text=f"{text}, in the place of the one that is here.",
            command=chained(away, command_line("pip", *install)),
        )
    return Remedy(
        text=f"{text}: Python {have} has none, so make an environment with the system's, which is that one.",
        command=chained("/usr/bin/python3 -m venv jetson-env", command_line("jetson-env/bin/pip", *install)),
    )


def _is_bound(fact: "Fact") -> bool:
    """Return whether a release is only a bound: "I need JetPack<6", "older than JetPack 6", "JetPack 6 or newer"."""
    for key, number in fact.values:
        before, name, after = fact.text.lower().partition(key)
        between, _, behind = after.partition(number)
        if name and (before.rstrip().endswith(_BOUNDS) or between.rstrip().endswith(_BOUNDS)):
            return True
        if name and behind.startswith(_OR_NEWER):
            return True
    return False


def board_build(
    asked: "Sequence[Request]", target: "Target", specs: "Specs", installer: str
) -> tuple[tuple[Chosen, ...], str | None] | None:
    """Return NVIDIA's build of torch for a Jetson and its command; None if its JetPack is not certain.

    C library and Python together identify the JetPack. Its rows have torch, some with torchvision.
    """
    row = _row_for(target, specs)
    if row is None or target.index is not None or asked[0].variant is not None:
        return None
    versions = {"torch": _version_of(row), "torchvision": row.get("torchvision")}
    if not all(versions.get(one.name) and one.allows(row[one.name]) for one in asked):
        return None
    names = [name for name in versions if name in {"torch", *(one.name for one in asked)}]
    why = f"NVIDIA's own build for JetPack {row['jetpack']} and Python {row['python']}; no other has code for a Jetson"
    chosen = tuple(Chosen(package=name, version=versions[name] or "", why=why) for name in names)
    if installer == "conda":
        return chosen, None
    start = "uv pip" if installer == "uv" else "pip"
    return chosen, _from_file(row, start) if "file" in row else command_line(start, *_install(row, names))


def _row_for(target: "Target", specs: "Specs") -> "Mapping[str, Any] | None":
    """Return the row of the JetPack with the target's C library and Python, if it supports the board."""
    rows = (specs.table("frameworks/jetson") or {}).get("releases", ())
    row = next((r for r in rows if (target.libc, target.python) == (f"glibc {r.get('glibc')}", r["python"])), None)
    names = " ".join(device.name or "" for device in target.accelerators or ()).lower()
    later = any(board in names for one in rows if one is not row for board in one.get("last_for", ()))
    return None if later else row


def _version_of(row: "Mapping[str, Any]") -> str:
    """Return the torch version of a row as in its wheel's name: "2.1.0a0+41361538.nv23.06"."""
    name = row.get("file") or row.get("wheel", "").rpartition("/")[2]
    version: str = name.split("-")[1] if "-" in name else row["torch"]
    return version


def _install(
    row: "Mapping[str, Any]", names: "Sequence[str]" = ("torch", "torchvision")
) -> "Sequence[str | Word | None]":
    """Return the arguments of pip that install a row's torch, from its index or as a file."""
    if "index" in row:
        words = [requirement_word(name, row[name]) for name in names]
        return ("install", *words, "--index-url", url_word(row["index"]))
    return ("install", url_word(row["wheel"]))


def _from_file(row: "Mapping[str, Any]", start: str = "pip3") -> str | None:
    """Return the command that downloads and installs a wheel whose address does not end in its file name."""
    fetch = command_line("wget", url_word(row["wheel"]), "-O", path_word(row["file"]))
    return chained(fetch, command_line(start, "install", path_word(row["file"])))


def _by_board(facts: "Facts", rows: "Sequence[Mapping[str, Any]]") -> "Mapping[str, Any] | None":
    """Return the last JetPack for a board that no later one supports: "Jetson Nano", which is not an "Orin Nano"."""
    named = [device.name or "" for device in facts.of("nvidia")] or [fact.text for fact in facts.stated("jetson-named")]
    words = " ".join(named).lower()
    return next((row for row in rows if any(board in words for board in row.get("last_for", ()))), None)


def _python_in_paths(facts: "Facts") -> str | None:
    """Return the system's Python, from the folder of its packages; each JetPack has one."""
    found = (_FOLDER.search(one.text) for one in facts.snapshot.observations)
    return next((hit["version"] for hit in found if hit), None)
