"""Compute targets in a text: of one GPU, and lists that something was built for.

    AMD Radeon 780M (amdgcn-amd-amdhsa--gfx1103)     Name: gfx1100     gcnArchName: gfx90a:sramecc+     gpu_type=gfx1103
    for GPU arch : gfx1032      GFX Version: gfx1030      rocminfo, torch, rocBLAS, ollama, rocm-smi
    gfx1100;gfx1101;gfx1102     ['gfx900', 'gfx906', 'gfx90a']     rocm-sdk targets, torch.cuda.get_arch_list()
    supported_types=[gfx1103]      "amdgpu is not supported (supported types:[])"     ollama: targets of its libraries
    library/TensileLibrary_lazy_gfx1030.dat     Kernels.so-000-gfx90a-xnack+.hsaco     rocBLAS files
    GFX 1151 torch install issue      the only target that a text has, in its writer's words
Skipped     a file in a message that it is missing: "Could not load …/TensileLibrary_lazy_gfx1103.dat"
Noted  gfx-named (target), gfx-list (targets), gfx-list-empty
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

_LIST: Final = pattern(
    r"gfx[0-9a-f]{3,4}(?::[a-z+:-]{1,30})?(?:['\"]?[;,| ]{1,3}['\"]?gfx[0-9a-f]{3,4}(?::[a-z+:-]{1,30})?){1,60}",
    re.IGNORECASE,
)
_ONE: Final = pattern(
    r"(?:amdhsa--|\(|Name:[ \t]{0,30}|gcnArchName['\":= ]{1,4}|_type=|arch ?: ?|GFX Version:[ \t]{0,30}|compute=)"
    r"(?P<target>gfx[0-9a-f]{3,4})\b(?![;,|])",
    re.IGNORECASE,
)
_SUPPORTED: Final = pattern(
    r"\bsupported[ _](?:types|targets|archs|architectures|gpus)[\"' ]{0,2}[:=][ ]?\[(?P<inside>[^\]\n]{0,600})\]",
    re.IGNORECASE,
)
_FILE: Final = pattern(r"\b(?:TensileLibrary|Kernels)[\w.+-]{0,80}?[_-](?P<target>gfx[0-9a-f]{3,4})\b")
_TARGET: Final = pattern(r"gfx[0-9a-f]{3,4}", re.IGNORECASE)
_ANY: Final = pattern(r"(?<![\w=/.:+-])gfx ?(?P<target>9[04][0-9a-c]|9[45]0|1[012]\d\d)(?![\w:+-])", re.IGNORECASE)
_ABSENT: Final = pattern(
    r"(?:cannot|can't|could not|couldn't|failed to|unable to) (?:read|load|open|find|initialize)"
    r"|no such file|not found|missing",
    re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    found: dict[tuple[str, str], Noted] = {}
    for match in _LIST.finditer(text):
        targets = " ".join(dict.fromkeys(target.lower() for target in _TARGET.findall(match[0])))
        found.setdefault(("gfx-list", targets), noted_at("gfx-list", match, READER.name, targets=targets))
    for match in _SUPPORTED.finditer(text):
        targets = " ".join(dict.fromkeys(target.lower() for target in _TARGET.findall(match["inside"])))
        if targets:
            found.setdefault(("gfx-list", targets), noted_at("gfx-list", match, READER.name, targets=targets))
        elif not match["inside"].strip():
            found.setdefault(("gfx-list-empty", ""), noted_at("gfx-list-empty", match, READER.name))
    for match in _FILE.finditer(text):
        target = match["target"].lower()
        if _ABSENT.search(_line(text, match)):
            found.setdefault(("gfx-named", target), noted_at("gfx-named", match, READER.name, target=target))
            continue
        found.setdefault(("gfx-list", target), noted_at("gfx-list", match, READER.name, targets=target))
    for match in _ONE.finditer(text):
        target = match["target"].lower()
        found.setdefault(("gfx-named", target), noted_at("gfx-named", match, READER.name, target=target))
    if not found and len({match["target"].lower() for match in _ANY.finditer(text)}) == 1:
        match = next(_ANY.finditer(text))
        target = f"gfx{match['target'].lower()}"
        found["gfx-named", target] = noted_at("gfx-named", match, READER.name, target=target)
    yield from reading_of(READER.name, found.values())


def _line(text: str, match: "re.Match[str]") -> str:
    end = text.find("\n", match.end())
    return text[text.rfind("\n", 0, match.start()) + 1 : len(text) if end < 0 else end]


READER: Final = Reader(name="AMD targets", signs=("gfx", "GFX"), read=_read)
