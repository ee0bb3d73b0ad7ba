"""The torch of a Jetson: NVIDIA's wheel for its JetPack and that JetPack's Python; no other has code for it. Pure.

Thor's are like servers': the public wheels for 64-bit Arm have code for it.
"""

from typing import TYPE_CHECKING, Any, Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, path_word, requirement_word, url_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from accel.facts.questions import Facts
    from accel.resolver.target import Target
    from accel.specs import Specs
    from accel.vendors.contract.command import Word

_FOLDER: Final = pattern(r"/(?:\.local|usr(?:/local)?)/lib/python(?P<version>3\.\d{1,2})/")
_SAID: Final = "jetpack-said"
_ASK: Final = (
    "NVIDIA builds torch for each JetPack and its Python, and no other wheel has code for a Jetson. Which JetPack this "
    "is, is not told; it is printed by:  cat /etc/nv_tegra_release"
)


def torch_of_jetson(facts: "Facts", specs: "Specs") -> Remedy:
    """Return how the torch for the JetPack is installed; what is missing, where the JetPack is not known."""
    said = facts.stated(_SAID)
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


def wheel_for(target: "Target", specs: "Specs") -> tuple[str, str | None] | None:
    """Return what NVIDIA's torch for a Jetson is called, and what installs it; None where its JetPack is not certain.

    The JetPack is told by its C library and its Python together.
    """
    rows = (specs.table("frameworks/jetson") or {}).get("releases", ())
    here = (target.libc, target.python)
    row = next((row for row in rows if here == (f"glibc {row.get('glibc')}", row["python"])), None)
    names = " ".join(device.name or "" for device in target.accelerators or ()).lower()
    later = any(board in names for one in rows if one is not row for board in one.get("last_for", ()))
    if row is None or later:
        return None
    text = f"NVIDIA's torch {row['torch']} is made for JetPack {row['jetpack']} and Python {row['python']}"
    return text, _from_file(row) if "file" in row else command_line("pip", *_install(row))


def _install(row: "Mapping[str, Any]") -> "Sequence[str | Word | None]":
    """Return the words behind pip that install the torch of a row, from its index or as a file."""
    if "index" in row:
        words = [requirement_word(name, row[name]) for name in ("torch", "torchvision")]
        return ("install", *words, "--index-url", url_word(row["index"]))
    return ("install", url_word(row["wheel"]))


def _from_file(row: "Mapping[str, Any]") -> str | None:
    """Return what fetches a wheel whose address does not end in its name, and installs it."""
    fetch = command_line("wget", url_word(row["wheel"]), "-O", path_word(row["file"]))
    return chained(fetch, command_line("pip3 install", path_word(row["file"])))


def _by_board(facts: "Facts", rows: "Sequence[Mapping[str, Any]]") -> "Mapping[str, Any] | None":
    """Return the last JetPack for a board that no later one serves: "Jetson Nano", which is no "Orin Nano"."""
    named = [device.name or "" for device in facts.of("nvidia")] or [fact.text for fact in facts.stated("jetson-named")]
    words = " ".join(named).lower()
    return next((row for row in rows if any(board in words for board in row.get("last_for", ()))), None)


def _python_in_paths(facts: "Facts") -> str | None:
    """Return the system's Python by the folder of its packages; each JetPack has one."""
    found = (_FOLDER.search(one.text) for one in facts.snapshot.observations)
    return next((hit["version"] for hit in found if hit), None)
