"""The peers on the further machines that ask for torch alone, as far as they can be asked.

There the newest that fits is asked for, and what else would run was not written down: so a pick is one of the answers,
another, or nothing, and no more is said of it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from resolvers.further import Judged, same_pick
from resolvers.judge import Pick, Truth

from accel.specs import load

_ARCH = {"macos": "arm64"}
OUTCOMES = ("one of the answers", "another build", "nothing", "cannot be asked")


def truths_of(text: dict[str, Any]) -> dict[str, tuple[Truth, dict[str, Any]]]:
    """Return the machines that the peers can be told of, in the form in which they are asked."""
    found = {}
    for name, row in text["machines"].items():
        if all(word.startswith("torch") and word.partition("=")[0] == "torch" for word in row["asks"]):
            machine = _machine(row)
            if machine is not None:
                found[name] = (Truth(name, machine, row["asks"][0], None, [], [], row["why"]), row)
    return found


def _machine(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the peers read of a machine; None if a device's place on the PCI bus is not known."""
    specs = load()
    names = [name for gpu in row["gpus"] if gpu != "none" for name in _each(gpu)]
    chips = [specs.find(name)[:1] for name in names]
    if "stack" in row or not all(chips):
        return None
    vendors = {chip.vendor for (chip,) in chips}
    if vendors - {"nvidia", "amd", "intel", "apple"}:
        return None
    system = "macos" if "apple" in vendors else row.get("os", "linux")
    arm = any(word in gpu for gpu in row["gpus"] for word in ("GH200", "GB200", "GB10", "Jetson"))
    usual = "aarch64" if arm else _ARCH.get(system, "x86_64")
    machine = {"gpus": names, "pci": [chip.pci_ids[0] for (chip,) in chips if chip.pci_ids], "system": system}
    machine |= {"machine": row.get("arch", usual), "python": row["python"]}
    machine |= {key: row[key] for key in ("driver", "libc") if key in row}
    targets = {chip.compute_target for (chip,) in chips if chip.compute_target}
    return machine | ({"target": targets.pop()} if len(targets) == 1 else {})


def _each(gpu: str) -> list[str]:
    count, _, name = gpu.partition("x ")
    return [name] * int(count) if count.isdecimal() else [gpu]


def outcome(pick: Pick, row: dict[str, Any]) -> str:
    """Return which of OUTCOMES a pick is; where nothing fits, declining and a CPU build are answers."""
    if pick.not_asked is not None:
        return OUTCOMES[3]
    if "nothing" in row:
        return OUTCOMES[0] if pick.build in (None, "cpu") else OUTCOMES[1]
    if pick.build is None:
        return OUTCOMES[2]
    labels = row["picks"].get("torch", ())
    return OUTCOMES[0] if any(same_pick(pick.version or "", pick.build, label) for label in labels) else OUTCOMES[1]


def section(judged: Sequence[Judged], peers: dict[str, dict[str, tuple[Pick, str]]], first_sight: str) -> Iterator[str]:
    """Yield the part of the page about the further machines."""
    right = sum(not one.wrong for one in judged)
    yield "## Further machines"
    yield ""
    yield (
        f"{len(judged)} machines more, of [resolve_further.yaml](resolve_further.yaml), "
        "[resolve_fresh.yaml](resolve_fresh.yaml) and [resolve_spoken.yaml](resolve_spoken.yaml), "
        "ask for other packages, pins, companions, Pythons and processors "
        "too; there accel must give the newest that fits, or refuse for the true reason. "
        f"It is right on {right} of {len(judged)}. {first_sight}"
    )
    yield ""
    yield (
        f"{len(peers)} of those in resolve_fresh.yaml ask for torch alone on devices that the peers can be told of. "
        "Newest was asked for, and what else would run was not written down, so another build is not said to be wrong:"
    )
    yield ""
    tools = list(next(iter(peers.values()), {}))
    yield f"| | {' | '.join(OUTCOMES)} |"
    yield "|---|" + "---:|" * len(OUTCOMES)
    for tool in tools:
        outcomes = [answers[tool][1] for answers in peers.values()]
        counts = " | ".join(str(outcomes.count(one)) for one in OUTCOMES)
        yield f"| {f'**{tool}**' if tool == 'accel' else tool} | {counts} |"
    yield ""
    yield f"| asked | right | accel | {' | '.join(tool for tool in tools if tool != 'accel')} |"
    yield "|---|---|---|" + "---|" * (len(tools) - 1)
    for one in judged:
        others = peers.get(one.name, {})
        cells = [others[t][0].label if t in others else "" for t in tools if t != "accel"]
        mark = "✗" if one.wrong else "✓"
        wrong = f": {one.wrong}" if one.wrong else ""
        command = one.command.removeprefix("accel resolve ")
        yield f"| `{command}` | {one.wanted} | {mark} {one.said}{wrong} | {' | '.join(cells)} |"
    yield ""
