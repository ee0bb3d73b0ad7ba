"""The peers on the further machines that ask for torch alone, as far as they can be asked.

There the newest that fits is asked for, and what else would run was not written down: so a pick is one of the answers,
another, or nothing, and no more is said of it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from resolvers.further import Judged, same_pick
from resolvers.judge import Pick, Truth

from accel.resolver.systems import system_named
from accel.specs import load

_ARCH = {"macos": "arm64"}
FILES = (
    "resolve_further.yaml",
    "resolve_fresh.yaml",
    "resolve_spoken.yaml",
    "resolve_whatif.yaml",
    "resolve_asked.yaml",
    "resolve_wishes.yaml",
)
FIRST_SIGHT = (
    "Written before accel was asked: of the first 121 it was right on 75 at first sight, of the 62 that came later "
    "on 59 (one of the other three answers was right, and the label was not), of the 40 that came then on 38, of the "
    "40 that came last on 39. 30 of these 40 ask for torch alone: one of the answers came from accel for 29 (one "
    "cannot be asked so), from uv for 19, from light-the-torch for 11 and from torchruntime for 10. Of 40 whose "
    "devices are named as people and tools write them it was right on 15 and did not know the names of the others. Of "
    "68 machines in any words (distributions for systems, nvidia-smi's CUDA for a driver) it was right on 39, wrong on "
    "6, and did not know the words of 23; of the 74 that came after these were mended on 70, wrong on 4; of 60 that "
    "came then on 57, and of the other three one answer was wrong and two labels were. Of 85 that ask for packages of "
    "every kind, 30 of them in whole sentences, it was right on 17 and wrong on 2: it did not know the packages of 36, "
    "and read no sentence. Of 62 that came after these were mended, 28 of them sentences, it was right on 59 and wrong "
    "on 3. Of 60 wishes as people write them in chats it was right on 58: one label was wrong, and one it refused."
)
_NEWEST_OF_UV = "2.39"
OUTCOMES = ("one of the answers", "another build", "nothing", "cannot be asked")


def truths_of(text: dict[str, Any]) -> dict[str, tuple[Truth, dict[str, Any]]]:
    """Return the machines that the peers can be told of, in the form in which they are asked."""
    found = {}
    for name, row in text["machines"].items():
        asks_torch = all(word.startswith("torch") and word.partition("=")[0] == "torch" for word in row["asks"])
        if asks_torch and "sentence" not in row and not row.keys() & {"cuda", "stack"}:
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
    told = system_named(row["os"], specs) if "os" in row else None  # the peers know no distributions
    named = ("wsl" if told.wsl else told.system) if told is not None else "linux"
    system = "macos" if "apple" in vendors else named
    arm = any(word in gpu for gpu in row["gpus"] for word in ("GH200", "GB200", "GB10", "Jetson"))
    usual = "aarch64" if arm else _ARCH.get(system, "x86_64")
    machine = {"gpus": names, "pci": [chip.pci_ids[0] for (chip,) in chips if chip.pci_ids], "system": system}
    machine |= {"machine": row.get("arch", usual), "python": row["python"]}
    libc = row.get("libc") or (told.libc if told is not None else None)
    machine |= {"driver": row["driver"]} if "driver" in row else {}
    machine |= {"libc": _known_to_uv(libc.removeprefix("glibc").strip() or _NEWEST_OF_UV)} if libc else {}
    targets = {chip.compute_target for (chip,) in chips if chip.compute_target}
    return machine | ({"target": targets.pop()} if len(targets) == 1 else {})


def _known_to_uv(libc: str) -> str:
    """Return the C library, as far as uv has a platform of its number."""
    return libc if libc == "musl" else min(libc, _NEWEST_OF_UV, key=lambda text: [int(n) for n in text.split(".")])


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
    yield "## Further machines"
    yield ""
    yield figures(judged, first_sight)
    yield ""
    yield (
        f"{len(peers)} of them ask for torch alone on devices that the peers can be told of, in options. "
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
        yield row(one, [others[t][0].label if t in others else "" for t in tools if t != "accel"])
    yield ""


def figures(judged: Sequence[Judged], first_sight: str) -> str:
    """Return the paragraph with the figures of accel."""
    right = sum(not one.wrong for one in judged)
    links = [f"[{file}]({file})" for file in FILES]
    return (
        f"{len(judged)} machines more, of {', '.join(links[:-1])} and {links[-1]}, "
        "ask for other packages, pins, companions, Pythons and processors "
        "too; there accel must give the newest that fits, or refuse for the true reason. "
        f"It is right on {right} of {len(judged)}. {first_sight}"
    )


def row(one: Judged, peers: Sequence[str]) -> str:
    """Return the table's line of a machine, with what the peers answered."""
    mark = "✗" if one.wrong else "✓"
    wrong = f": {one.wrong}" if one.wrong else ""
    return f"| `{_command(one)}` | {one.wanted} | {mark} {one.said}{wrong} | {' | '.join(peers)} |"


def rewritten(page: str, judged: Sequence[Judged], first_sight: str) -> str:
    """Return the page with accel's figures and answers anew; what the peers answered stays as it is."""
    lines = page.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("| asked | right |"))
    end = next(number for number in range(head, len(lines)) if not lines[number].startswith("|"))
    columns = lines[head].count("|") - 4
    told = {line.split("`")[1]: line.rstrip("|").split(" | ")[3:] for line in lines[head + 2 : end]}
    rows = [
        row(one, [cell.strip() for cell in told.get(_command(one), ())][:columns] or [""] * columns) for one in judged
    ]
    paragraph = next(number for number, line in enumerate(lines) if " machines more, of [" in line)
    lines[paragraph] = figures(judged, first_sight)
    return "\n".join([*lines[: head + 2], *rows, *lines[end:]]) + "\n"


def _command(one: Judged) -> str:
    return one.command.removeprefix("accel resolve ")
