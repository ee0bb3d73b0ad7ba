"""Make the tables of NVIDIA's fault codes out of the headers that number them, and tell what the table of Xid lacks.

    python -m specs.refresh.fault_tables FOLDER            what would change; 1 if anything
    python -m specs.refresh.fault_tables FOLDER --write    writes it

Reads   ctrl_dev_nvswitch.h and the NVSwitch driver's sources   "NVSWITCH_ERR_HW_NPORT_EGRESS_SEQIDERR = 12020,"
        nverror.h                                               "#define GSP_RPC_TIMEOUT (119)"
        dcgm_fields.h, dcgm_errors.h, dcgm_errors.c, dcgm_nvml.h
FOLDER holds checkouts of NVIDIA/open-gpu-kernel-modules and NVIDIA/DCGM, at any depth: numbers and names are theirs,
words come from fault_words.yaml, and what a person is told from fault_tables.yaml, both beside this file. Nothing is
downloaded. Rows that specs/nvidia/xid.yaml has are kept as they are, and get the names of the header.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from specs.refresh.headers import SPECS, numbered

_HERE: Final = Path(__file__).parent
_RAISED: Final = re.compile(
    r"NVSWITCH_REPORT_(?:PRI_ERROR_)?(FATAL|NONFATAL|CONTAIN|CORRECTABLE)(?:_DATA)?(?:_FIRST)?\(\s*_(HW_\w+)"
)
_PRINTED: Final = re.compile(r'NVSWITCH_PRINT_SXID\(device, NVSWITCH_ERR_(HW_\w+),\s*"(Fatal|Non-fatal)?')
_GRADED: Final = re.compile(r"DCGM_ERROR_TABLE_ENTRY\((DCGM_FR_\w+), DCGM_ERROR_(\w+), DCGM_FR_EC_(\w+)\)")
_NO_CODE: Final = re.compile(r"_(?:LAST|LAST_ERROR)$|_RECOVERY_LEVEL_")
_NO_FIELD: Final = re.compile(
    r"FIRST_\w+_FIELD_ID$|LAST_\w+_FIELD_ID$|INTERNAL_FIELDS|MAX_\w*FIELDS$|UNKNOWN$|\w+_FIELD_IDS?$"
)
_HEADS: Final[Mapping[str, tuple[str, ...]]] = {
    "sxid": (
        "# The errors of NVSwitches, as the kernel log, the fabric manager and DCGM number them.",
        'name: "SXid"',
        'facts: ["sxid"]',
    ),
    "dcgm_fields": (
        "# The fields of DCGM, as dcgmi dmon, dcgm-exporter and dcgm_fields.h number and name them.",
        'name: "DCGM field"',
        "named: true",
        'also: ["DCGM", "field", "DCGM_FI"]',
    ),
    "dcgm_results": (
        "# What dcgmi diag and dcgmi health answer with (DCGM_FR_…, error_id in their JSON).",
        'name: "DCGM result"',
        "named: true",
        'also: ["DCGM", "DCGM error", "error_id", "DCGM_FR"]',
    ),
    "recovery_actions": (
        "# What a GPU asks for, as NVML, nvidia-smi -q and DCGM's field 1523 say it.",
        'name: "Recovery action"',
        "named: true",
        'also: ["NVML recovery action", "GPU recovery action"]',
        'facts: ["xid-recovery"]',
    ),
}
_KEYS: Final = ("code", "names", "meaning", "by", "class", "severity", "action")


@cache
def _words() -> dict[str, Any]:
    return dict(yaml.safe_load((_HERE / "fault_words.yaml").read_text(encoding="utf-8")))


def in_words(name: str, vocabulary: Mapping[str, str], unknown: set[str] | None) -> str:
    """Return a name in words: each part between "_" cut into the fewest words of the vocabulary that cover it.

    unknown: what no word covers is added to it; None where the parts are whole words, of which plain ones need no entry

    >>> in_words("RXHDROVFERR", {"RX": "receiver", "HDR": "header", "OVF": "overflow", "ERR": "error"}, set())
    'receiver header overflow error'
    """
    said: list[str] = []
    for part in name.split("_") if unknown is None else name.replace("ECC_", "ECC").split("_"):
        best: list[list[str] | None] = [[]] + [None] * len(part)
        for end in range(1, len(part) + 1):
            for start in range(end if unknown is not None else min(end, 1)):
                before = best[start]
                shorter = before is not None and (best[end] is None or len(before) + 1 < len(best[end] or ()))
                if before is not None and shorter and part[start:end] in vocabulary:
                    best[end] = [*before, part[start:end]]
        cut, stem = best[-1], part.rstrip("0123456789")
        if cut is not None:
            said += [vocabulary[word] for word in cut]
        elif f"{stem}#" in vocabulary:
            said.append(vocabulary[f"{stem}#"].replace("#", part[len(stem) :]))
        else:
            said.append(part.lower())
            if unknown is not None:
                unknown.add(part)
    whole = " ".join(word for word in said if word)
    return whole.removesuffix(" error") if "error" in whole.removesuffix("error") else whole


def sxids(
    header: str, sources: Iterable[str], stated: Mapping[str, Any], unknown: set[str]
) -> Iterator[dict[str, Any]]:
    """Yield the row of each SXid of the header, in its order."""
    raised: dict[str, set[str]] = {}
    for text in sources:
        for how, name in _RAISED.findall(text):
            raised.setdefault(name, set()).add(how)
        for name, how in _PRINTED.findall(text):
            raised.setdefault(name, set()).add({"Fatal": "FATAL", "Non-fatal": "NONFATAL"}.get(how, "WORD"))
    group_of = {code: group for group in stated["groups"] for code in group["codes"]}
    units = sorted(_words()["units"], key=len, reverse=True)
    for full, code in numbered(header).items():
        if not full.startswith("NVSWITCH_ERR_HW_") or code % 1000 == 0 or _NO_CODE.search(full):
            continue
        name = full.removeprefix("NVSWITCH_ERR_HW_")
        unit = next(one for one in units if name.startswith(one + "_"))
        what = in_words(name.removeprefix(unit + "_"), _words()["words"], unknown)
        of = group_of.get(code) or stated["printed"][_printed(raised.get(f"HW_{name}", set()))]
        own = stated["sxids"].get(code, {})
        said = own.get("meaning") or _capital(f"{_words()['units'][unit]}: {what}")
        kept = {key: own.get(key, of.get(key)) for key in ("class", "severity", "action")}
        told = of["says"] if "severity" not in own else ""
        yield {
            "code": code,
            "names": [full.removeprefix("NVSWITCH_ERR_")],
            "meaning": ". ".join(filter(None, (said, told))),
            **kept,
        }


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _printed(raised: set[str]) -> str:
    """Return how the driver's sources print a code: under which key of `printed` it is judged."""
    if "CONTAIN" in raised or {"FATAL", "NONFATAL"} <= raised:
        return "contained"
    if "FATAL" in raised:
        return "fatal"
    if raised & {"NONFATAL", "CORRECTABLE"}:
        return "non-fatal"
    return "word" if raised else "never"


def xids(header: str, rows: Sequence[Mapping[str, Any]], stated: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of Xid with the names of the header, and a row for each code that it lacks."""
    names: dict[int, list[str]] = {}
    for name, code in numbered(header).items():
        if not _NO_CODE.search(name):
            names.setdefault(code, []).append(name)
    names |= {code: [name] for code, name in stated["older_xids"].items()}
    known = {row["code"]: dict(row) for row in rows}
    for code in sorted({*known, *names}):
        row = known.get(code) or dict(stated["xids"].get(code) or stated["unused"])
        if code not in known:
            bare = names[code][0].removeprefix("ROBUST_CHANNEL_").removesuffix("_ERROR")
            words = in_words(bare, {**_words()["words"], **_words()["xid"]}, None)
            row["meaning"] = row["meaning"].replace("{words}", _capital(words))
        yield {**row, "code": code, "names": names.get(code) or row.get("names")}


def dcgm_fields(header: str, stated: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of each field, under its name of now and those before."""
    names: dict[int, list[str]] = {}
    for name, code in numbered(header).items():
        if name.startswith("DCGM_FI_") and code and not _NO_FIELD.search(name):
            names.setdefault(code, []).append(name)
    for code, all_names in sorted(names.items()):
        own = stated["fields"].get(code, {})
        words = in_words(all_names[0].removeprefix("DCGM_FI_"), _words()["fields"], None) if not own else ""
        yield {
            "code": code,
            "names": all_names,
            "meaning": own.get("meaning") or _capital(words),
            "action": own.get("action"),
        }


def dcgm_results(header: str, source: str, stated: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of each result, with DCGM's grade and category of it."""
    graded = {name: (grade, category) for name, grade, category in _GRADED.findall(source)}
    names: dict[int, list[str]] = {}
    for name, code in numbered(header).items():
        if name.startswith("DCGM_FR_") and not name.startswith("DCGM_FR_EC_") and code and "SENTINEL" not in name:
            names.setdefault(code, []).append(name)
    for code, all_names in sorted(names.items()):
        grade, category = next((graded[name] for name in all_names if name in graded), ("UNKNOWN", "NONE"))
        of = stated["categories"][category]
        meaning = stated["results"].get(code) or f"{all_names[0]}, which is not described here"
        yield {
            "code": code,
            "names": all_names,
            "meaning": f"{meaning} ({of})" if of and of.lower() not in meaning.lower() else meaning,
            **stated["grades"][grade],
            "states": stated["result_facts"].get(code),
        }


def recoveries(header: str, stated: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of each recovery action that the header numbers."""
    for name, code in numbered(header).items():
        if name.startswith("NVML_GPU_RECOVERY_ACTION_") and code in stated["recoveries"]:
            yield {"code": code, "names": [name], **stated["recoveries"][code]}


def as_yaml(head: Sequence[str], sources: Sequence[Mapping[str, str]], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return a table as it is written: a row a line, in the order of the keys, nothing that is None."""
    lines = [*head, "sources:", *(f"  - {_flow(source)}" for source in sources), "codes:"]
    for row in rows:
        kept = {
            key: row[key] for key in (*_KEYS, *(k for k in row if k not in _KEYS)) if row.get(key) not in (None, [])
        }
        lines.append(f"  - {_flow(kept)}")
    return "\n".join(lines) + "\n"


def _flow(row: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in row.items()) + "}"


def made(folder: Path, unknown: set[str]) -> dict[str, str]:
    """Return the text of each table that the headers below a folder make, by its name."""
    stated = yaml.safe_load((_HERE / "fault_tables.yaml").read_text(encoding="utf-8"))
    from_driver = {
        "what": "open-gpu-kernel-modules: the NVSwitch driver's ctrl_dev_nvswitch.h and its reports; nverror.h",
        "url": "https://github.com/NVIDIA/open-gpu-kernel-modules",
        "read": "2026-11-23",
    }
    from_dcgm = {
        "what": "DCGM 4.6: dcgm_fields.h, dcgm_errors.h and dcgm_errors.c, nvml.h",
        "url": "https://github.com/NVIDIA/DCGM",
        "read": "2026-11-23",
    }
    guide, _, _, user_guide, flags = stated["sources"]
    tables: dict[str, tuple[list[dict[str, str]], Iterable[dict[str, Any]]]] = {}
    if switch := _text(folder, "ctrl_dev_nvswitch.h"):
        drivers = [
            path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("nvswitch/**/*.c"))
        ]
        tables["sxid"] = ([guide, from_driver], sxids(switch, drivers, stated, unknown))
    if fields := _text(folder, "dcgm_fields.h"):
        tables["dcgm_fields"] = ([from_dcgm], dcgm_fields(fields, stated))
    if results := _text(folder, "dcgm_errors.h"):
        tables["dcgm_results"] = (
            [user_guide, from_dcgm],
            dcgm_results(results, _text(folder, "dcgm_errors.c"), stated),
        )
    if nvml := _text(folder, "dcgm_nvml.h"):
        tables["recovery_actions"] = ([flags, from_dcgm], recoveries(nvml, stated))
    found = {name: as_yaml(_HEADS[name], sources, rows) for name, (sources, rows) in tables.items()}
    if errors := _text(folder, "nverror.h"):
        text = (SPECS / "nvidia/xid.yaml").read_text(encoding="utf-8")
        head = text[: text.index("sources:")].rstrip("\n").split("\n")
        table = yaml.safe_load(text)
        found["xid"] = as_yaml(head, table["sources"], xids(errors, table["codes"], stated))
    return found


def _text(folder: Path, name: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob(name)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what would change, or write it; return 1 if anything is left to write, 2 if no header is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the checkouts are, at any depth")
    parser.add_argument("--write", action="store_true", help="write the tables")
    options = parser.parse_args(arguments)
    unknown: set[str] = set()
    found = made(options.folder, unknown)
    if not found:
        print(
            f"{options.folder}: none of the headers is here: see  python -m specs.refresh.fault_tables --help",
            file=sys.stderr,
        )
        return 2
    changed = 0
    for name, text in found.items():
        path = SPECS / f"nvidia/{name}.yaml"
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        rows = len(yaml.safe_load(text)["codes"])
        print(f"nvidia/{name}: {rows} codes, {'as it is' if old == text else 'changed'}")
        changed += old != text
        if options.write and old != text:
            path.write_text(text, encoding="utf-8")
    for word in sorted(unknown):
        print(f"  no word for {word}: fault_words.yaml")
    return 0 if options.write or not changed else 1


if __name__ == "__main__":
    sys.exit(main())
