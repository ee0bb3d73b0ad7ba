"""accel alone, on the machines of resolve_further.yaml: other packages, implied hosts, requests with pins."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from packaging.specifiers import SpecifierSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What accel said of one machine. wrong: why it is wrong; "" if it is right."""

    name: str
    command: str
    said: str
    wanted: str
    wrong: str
    why: str
    sources: tuple[str, ...]


def ask_all(accel: str, text: dict[str, Any]) -> tuple[Judged, ...]:
    """Ask the command about every machine of the file, and judge."""
    return tuple(_judged(accel, name, machine) for name, machine in text["machines"].items())


def words_of(machine: dict[str, Any]) -> list[str]:
    """Return the arguments of `accel resolve` that describe the machine."""
    if "sentence" in machine:
        return [machine["sentence"]]
    words = list(machine["asks"])
    words += ["--variant", machine["variant"]] if "variant" in machine else []
    for gpu in machine["gpus"]:
        words += ["--gpu", gpu]
    for option in ("driver", "cuda", "python", "os", "arch", "libc", "stack"):
        words += [f"--{option}", str(machine[option])] if option in machine else []
    if "os" not in machine and not any(gpu.startswith("Apple") for gpu in machine["gpus"]):
        words += ["--os", "linux"]
    if machine.get("os", "linux") in ("linux", "wsl") and "libc" not in machine and "--os" in words:
        words += ["--libc", "2.35"]
    return words


def _judged(accel: str, name: str, machine: dict[str, Any]) -> Judged:
    done = subprocess.run(
        [accel, "resolve", *words_of(machine), "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
    )
    answer = json.loads(done.stdout) if done.returncode in (0, 1) else None
    return judged(name, machine, answer, done.stderr)


def judged(name: str, machine: dict[str, Any], answer: dict[str, Any] | None, complaint: str = "") -> Judged:
    """Return how an answer, the JSON of `accel resolve`, is judged; None: it refused with a complaint."""
    words = words_of(machine)
    problems = list(problems_of(machine, answer)) if answer is not None else [complaint.strip()[:160]]
    return Judged(
        name=name,
        command="accel resolve " + " ".join(f'"{w}"' if " " in w or "<" in w or ">" in w else w for w in words),
        said=_said(answer),
        wanted=_wanted(machine),
        wrong="; ".join(problems),
        why=machine["why"],
        sources=tuple(machine["from"]),
    )


def problems_of(machine: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an answer, the JSON of `accel resolve`."""
    for words in machine.get("here", ()):
        if words not in answer["machine"]:
            yield f"takes the machine for {answer['machine']}"
    yield from _untold(machine, answer)
    chosen = {c["package"]: c for c in answer["chosen"]}
    if "nothing" in machine:
        yield from _wrong_refusal(machine["nothing"], answer, chosen)
        return
    for package, labels in machine["picks"].items():
        if package not in chosen:
            yield f"offers no {package}"
        elif not any(_is(chosen[package], label) for label in labels):
            yield f"offers {package} {_label(chosen[package])}"
    if chosen and not (answer["command"] or "").startswith(machine.get("command", "")):
        yield f"has the command {answer['command']}"
    elif chosen and not answer["command"]:
        yield "has no command"


def _untold(machine: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """Yield what the answer should tell beside the choice: words anywhere, and words of a change that makes it fit."""
    told = [*answer["upgrade"], *answer["notes"], *answer["assumed"], *(c["why"] for c in answer["chosen"])]
    for words in machine.get("tells", ()):
        if not any(words in text for text in told):
            yield f"does not tell {words}"
    for words in machine.get("change", ()):
        if not any(words in text for text in answer["upgrade"]):
            yield f"names no change to {words}"


def _wrong_refusal(wanted: dict[str, str], answer: dict[str, Any], chosen: dict[str, Any]) -> Iterator[str]:
    if chosen:
        yield f"offers {', '.join(f'{name} {_label(c)}' for name, c in chosen.items())}"
        return
    rows = [row for row in answer["rejected"] if row["rule"] == wanted["rule"]]
    if not rows:
        yield f"no build is refused for {wanted['rule']}"
    sentences = [*(row["because"] for row in rows), *answer["upgrade"], *answer["notes"]]
    if rows and not any(wanted["says"] in sentence for sentence in sentences):
        yield f"says nothing of {wanted['says']}"


def _is(chosen: dict[str, Any], label: str) -> bool:
    """Whether a choice is what a label says: "2.14.1+cu126", "2.8.*", ">=2.7+cpu"."""
    return same_pick(chosen["version"], chosen["variant"], label)


def same_pick(version: str, variant: str | None, label: str) -> bool:
    """Whether a version and its build are what a label says."""
    bound, _, build = label.partition("+")
    if build and variant != build:
        return False
    if re.match(r"[<>=!~]", bound):
        return SpecifierSet(bound).contains(version)
    return fnmatch(version, bound)


def _label(chosen: dict[str, Any]) -> str:
    return f"{chosen['version']}+{chosen['variant']}" if chosen["variant"] else str(chosen["version"])


def _said(answer: dict[str, Any] | None) -> str:
    if answer is None:
        return "refused to answer"
    return ", ".join(f"{c['package']} {_label(c)}" for c in answer["chosen"]) or "nothing fits"


def _wanted(machine: dict[str, Any]) -> str:
    if "nothing" in machine:
        return f"nothing ({machine['nothing']['rule']})"
    return ", ".join(f"{package} {labels[0]}" for package, labels in machine["picks"].items())
