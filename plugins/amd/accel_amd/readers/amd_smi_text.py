"""amd-smi's output as indented text: list, static, metric, process.

    GPU: 0
        BDF: 0000:23:00.0
        UUID: 36ff74a0-0000-1000-802d-d6e1b0b9e9bb
        ASIC:
            MARKET_NAME: MI300A
        LIMIT:
            SOCKET_POWER: 550 W
    GPU: 0
        PROCESS_INFO: No running processes detected
The CPU part of an APU's answer begins with "CPU: 0" and is left out. Seen: amd-smi 23 to 26.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.amd_smi_facts import SECTIONS, device
from accel_amd.model import AmdDevice
from accel_amd.quantities import whole_lines
from accel_amd.record import joined_by_index, reading

SOURCE: Final = "amd-smi text"
_HEAD: Final = pattern(r"^(\s*)GPU: (\d{1,4})\s*$")
_LINE: Final = pattern(r"^([ \t]*)([A-Z][A-Z0-9_]*(?: [A-Z0-9_]+){0,3})[ \t]*:(.*)$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that combines all blocks in the text for each GPU."""
    rocr_names = " GPU-" in text
    found: list[AmdDevice] = []
    for tree in _blocks(whole_lines(text)):
        if tree.keys() & SECTIONS:
            known = device(tree, rocr_names)
            if known is not None:
                found.append(known)
    devices = joined_by_index(found)
    if devices:
        driver = next((d.driver_version for d in devices if d.driver_version), None)
        yield reading(SOURCE, 65, devices, driver=driver)


def _blocks(lines: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the nested values under each "GPU: <n>", keys in lower case."""
    tree: dict[str, Any] | None = None
    stack: list[tuple[int, dict[str, Any]]] = []
    for line in lines:
        head = _HEAD.match(line)
        if head is not None:
            if tree is not None:
                yield tree
            tree = {"gpu": head[2]}
            stack = [(len(head[1]), tree)]
            continue
        if tree is None or not line.strip():
            continue
        found = _LINE.match(line)
        depth = len(line) - len(line.lstrip())
        if found is None or depth <= stack[0][0]:
            yield tree
            tree = None
            continue
        while len(stack) > 1 and depth <= stack[-1][0]:
            stack.pop()
        _put(stack, depth, found[2].lower(), found[3].strip())
    if tree is not None:
        yield tree


def _put(stack: list[tuple[int, dict[str, Any]]], depth: int, key: str, value: str) -> None:
    """Store a value, or start a section; a repeated section, such as one per process, becomes a list."""
    inner = stack[-1][1]
    if value:
        inner.setdefault(key, value)
        return
    section: dict[str, Any] = {}
    known = inner.get(key)
    if isinstance(known, list):
        known.append(section)
    elif isinstance(known, dict):
        inner[key] = [known, section]
    else:
        inner[key] = section
    stack.append((depth, section))


READER: Final = Reader(name=SOURCE, signs=("GPU: ",), read=read)
