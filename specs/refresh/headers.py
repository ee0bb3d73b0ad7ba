"""Compare the tables of errors with the headers that number them: what a table has of the whole, and what it lacks.

    python -m specs.refresh.headers FOLDER           headers anywhere below it, by their names
    python -m specs.refresh.headers FOLDER --rows    and rows for what is lacking, whose meaning is to be written

Reads   enumerators       "cudaErrorInvalidValue = 1,"   "HSA_STATUS_ERROR_FATAL,"  (one more than the one before)
        definitions       "#define DCMI_ERR_CODE_TIME_OUT (DCMI_ERROR_CODE_BASE - 6)"
        constants         "static const int ACL_ERROR_BAD_ALLOC = 200000;"
A code that a table has under another name, or a name under another code, is told apart. Success is no error. Which
header belongs to which table, and what of it is left out, is in headers.yaml beside this file, with where each is
published. Nothing is downloaded.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

SPECS = Path(__file__).resolve().parent.parent
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENUM = re.compile(r"\benum\b[^{;]{0,120}\{([^}]*)\}")
_MEMBER = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?:=\s*(.+?))?\s*$", re.DOTALL)
_DEFINED = re.compile(
    r"^[ \t]*(?:#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(\S[^\n]*)|(?:static )?const \w+ ([A-Za-z_]\w*) = ([^;\n]+);)",
    re.MULTILINE,
)
_TERM = re.compile(r"[-+]?\s*(?:0[xX][0-9a-fA-F]+|\d+|[A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a table has of the names of its headers.

    whole    (name, code) of each; lacking: those whose name and code the table has not
    renamed  (name, code) whose code the table has without that name
    moved    (name, code in the header, code in the table)
    """

    whole: tuple[tuple[str, int], ...]
    lacking: tuple[tuple[str, int], ...]
    renamed: tuple[tuple[str, int], ...]
    moved: tuple[tuple[str, int, str], ...]


def numbered(text: str) -> dict[str, int]:
    """Return the names of a header with their numbers; names whose number cannot be told are left out.

    >>> numbered("enum e { A_OK = 0, A_BAD = 0x1000, A_WORSE, };\\n#define B (-8000)\\n#define C (B - 6)")
    {'B': -8000, 'C': -8006, 'A_OK': 0, 'A_BAD': 4096, 'A_WORSE': 4097}
    """
    bare = _COMMENT.sub(" ", text)
    known: dict[str, int] = {}
    for found in _DEFINED.finditer(bare):
        number = _value(found[2] or found[4], known)
        if number is not None:
            known[found[1] or found[3]] = number
    for body in _ENUM.findall(bare):
        last: int | None = -1
        lines = re.sub(r"^[ \t]*#[^\n]*", "", body, flags=re.MULTILINE)
        for part in lines.split(","):
            member = _MEMBER.match(part)
            if member is not None:
                last = _value(member[2], known) if member[2] else None if last is None else last + 1
                if last is not None:
                    known[member[1]] = last
    return known


def _value(text: str, known: Mapping[str, int]) -> int | None:
    """Return a sum of numbers and known names, in brackets or not; None for anything else."""
    bare = re.sub(r"\(\s*\w+_t\s*\)", "", text).replace("(", "").replace(")", "").strip()
    total, end = 0, 0
    for term in _TERM.finditer(bare):
        if bare[end : term.start()].strip():
            return None
        word = term[0].replace(" ", "")
        sign, digits = (-1 if word[0] == "-" else 1), word.lstrip("+-")
        if not (digits[0].isdigit() or digits in known):
            return None
        total += sign * (int(digits, 0) if digits[0].isdigit() else known[digits])
        end = term.end()
    return total if bare and not bare[end:].strip(" uUlL") else None


def compared(stated: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], headers: Iterable[str]) -> Compared:
    """Return what rows of a table have of what its headers number.

    stated  starts: the beginnings of the names; without: names, or beginnings with "*", that are left out; older: names
            that the table has by an older number, and the newer one as a row of its own
    """
    every: dict[str, int] = {}
    for text in headers:
        every.update(numbered(text))
    wanted = [
        (name, code)
        for name, code in every.items()
        if code != 0 and name.startswith(tuple(stated["starts"])) and not _is_among(name, stated.get("without") or ())
    ]
    by_name = {name: str(row["code"]) for row in rows for name in row.get("names") or ()}
    codes = {number for row in rows if (number := _number(str(row["code"]))) is not None}
    lacking = [(n, c) for n, c in wanted if n not in by_name and c not in codes]
    renamed = [(n, c) for n, c in wanted if n not in by_name and c in codes]
    older = {name for name, code in wanted if name in (stated.get("older") or ()) and code in codes}
    moved = [(n, c, by_name[n]) for n, c in wanted if n in by_name and _number(by_name[n]) not in (c, None)]
    moved = [(name, code, here) for name, code, here in moved if name not in older]
    return Compared(whole=tuple(wanted), lacking=tuple(lacking), renamed=tuple(renamed), moved=tuple(moved))


def _is_among(name: str, patterns: Iterable[str]) -> bool:
    return any(name == one or (one.endswith("*") and name.startswith(one[:-1])) for one in patterns)


def _number(code: str) -> int | None:
    try:
        return int(code, 0)
    except ValueError:
        return None


def lines_of(name: str, found: Compared, rows: bool) -> Iterator[str]:
    """Yield what to print of one table."""
    have = len(found.whole) - len(found.lacking) - len(found.renamed)
    yield f"{name}: {have} of {len(found.whole)} names"
    for missing, code in found.lacking:
        yield f'  - {{code: "{code}", names: ["{missing}"], meaning: ""}}' if rows else f"  lacks {missing} = {code}"
    for other, code in found.renamed:
        yield f"  code {code} is there, without the name {other}"
    for moved, code, here in found.moved:
        yield f"  {moved} is {code}, and {here} here"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the comparison; return 1 if anything is lacking, 2 if no header is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the headers are, at any depth")
    parser.add_argument("--rows", action="store_true", help="print rows for what is lacking")
    options = parser.parse_args(arguments)
    stated = yaml.safe_load((Path(__file__).parent / "headers.yaml").read_text(encoding="utf-8"))["tables"]
    lacking = seen = 0
    for table in stated:
        paths = [path for name in table["headers"] for path in sorted(options.folder.rglob(name))]
        if not paths:
            continue
        seen += 1
        files = [SPECS / f"{name}.yaml" for name in table["tables"]]
        rows = [row for file in files for row in yaml.safe_load(file.read_text(encoding="utf-8"))["errors"]]
        found = compared(table, rows, [path.read_text(encoding="utf-8", errors="replace") for path in paths])
        lacking += len(found.lacking) + len(found.renamed) + len(found.moved)
        print("\n".join(lines_of(" ".join(table["tables"]), found, options.rows)))
    if not seen:
        print(f"{options.folder}: none of the headers is here: see specs/refresh/headers.yaml", file=sys.stderr)
        return 2
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
