"""Implements `accel specs refresh`: queries the index, and writes differences to a folder of the user.

accel's own tables are unchanged. The folder's tables amend them (accel.specs.overlay) if ACCEL_SPECS names it.
Everything is requested and checked before the first file is written; each file is then replaced atomically.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from accel.apps.refresh.index import Registry, Unanswered, Unreachable
from accel.apps.refresh.propose import Proposal, of_assets
from accel.apps.refresh.releases import Releases
from accel.apps.refresh.subjects import Subject, proposals_of
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.specs import Specs
from accel.specs.age import today

Say = Callable[[str], None]
MARK: Final = "# Written by  accel specs refresh ; each refresh replaces it.\n"
WHEELS: Final = "frameworks/release_wheels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """The result: the tables to write, by name, and a sentence for each change and each package without an answer."""

    tables: dict[str, dict[str, Any]]
    changes: tuple[str, ...]
    silent: tuple[str, ...]


def refreshed(
    specs: Specs, subjects: Sequence[Subject], index: Registry, releases: Releases | None, day: date, say: Say
) -> Refreshed:
    """Return the differences. Raises Unreachable if the index is; a package without an answer is reported.

    specs  accel's own tables, without the user's folders; releases: None: do not query the projects' releases
    """
    tables: dict[str, dict[str, Any]] = {}
    changes: list[str] = []
    silent: list[str] = []
    for number, subject in enumerate(subjects, 1):
        say(f"[{number}/{len(subjects)}] {subject.package}")
        try:
            proposals = proposals_of(subject, [specs.table(name) for name in subject.files], index)
        except Unreachable:
            raise
        except Unanswered as error:
            silent.append(f"{subject.package}: {error}")
            continue
        for proposal in proposals:
            changes.append(f"{subject.package} {proposal.version}: {proposal.why}")
            _put(_table(tables, specs, subject.files[-1]), subject, proposal)
        for name in subject.files:
            told: Any = {subject.package: day.isoformat()} if subject.rows else day.isoformat()
            table = _table(tables, specs, name)
            table["compared"] = {**table.get("compared", {}), **told} if subject.rows else told
    wanted = {subject.package for subject in subjects}
    for row in (specs.table(WHEELS) or {}).get("projects") or () if releases is not None else ():
        if row["package"] in wanted and releases is not None:
            _put_releases(row, specs, releases, day, tables, changes, silent)
    return Refreshed(tables=tables, changes=tuple(changes), silent=tuple(silent))


def write(found: Refreshed, folder: Path) -> list[str]:
    """Write each table into the folder, atomically; return the files.

    Raises BadInput, and writes nothing, if an existing file is not from an earlier refresh, if the validator finds a
    mistake, or if the folder cannot be written.
    """
    import yaml

    from accel.specs.store import bundled, user_folder
    from accel.specs.validate import problems_in

    targets = {name: folder / f"{name}.yaml" for name in found.tables}
    for path in targets.values():
        if path.exists() and not _is_ours(path):
            raise BadInput(
                f"{path}: it was not written by a refresh, and is left unchanged. Nothing was written. Use "
                "--into FOLDER."
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".refresh-") as beside:
            for name, rows in found.tables.items():
                holds = {key: len(value) for key, value in rows.items() if isinstance(value, list)}
                table = {**rows, "holds": holds}  # detects a truncated file
                path = Path(beside, f"{name}.yaml")
                path.parent.mkdir(parents=True, exist_ok=True)
                text = yaml.safe_dump(table, sort_keys=False, allow_unicode=True, width=140)
                path.write_text(MARK + text, encoding="utf-8")
            mistakes = [text for texts in problems_in(user_folder(beside), [bundled()]).values() for text in texts]
            if mistakes:
                raise BadInput(f"The answers make no valid table: {mistakes[0]} Nothing was written.")
            for name, path in targets.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                os.replace(Path(beside, f"{name}.yaml"), path)
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}. Give --into a folder that can be written.") from None
    return [str(path) for path in targets.values()]


def own_folder(named: str | None, environment: dict[str, str]) -> Path:
    """Return the folder to write to: the one given, that of ACCEL_SPECS, or one in the user's data folder."""
    if told := named or environment.get("ACCEL_SPECS"):
        return Path(told).expanduser()
    home = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA") or "~/.local/share"
    return Path(home).expanduser() / "accel" / "specs"


def _table(tables: dict[str, dict[str, Any]], specs: Specs, name: str) -> dict[str, Any]:
    """Return the table that amends one of accel's, creating it if necessary."""
    if name not in tables:
        own = specs.table(name)
        head = {"framework": own["framework"]} if "framework" in own else {}
        source = {"what": "the package index, or the project's releases", "read": today().isoformat()}
        empty: dict[str, list[Any]] = {key: [] for key in ("releases", "packages", "wheels") if key in own}
        tables[name] = {"amends": True, **head, "sources": {"refresh": source}, **empty}
    return tables[name]


def _put(table: dict[str, Any], subject: Subject, proposal: Proposal) -> None:
    """Add a proposal's row: the whole row if it is new, else its key and what changed."""
    list_of = "releases" if subject.tables else subject.list
    if proposal.key is not None:
        row: dict[str, Any] = {subject.key: proposal.version, proposal.key: proposal.value}
    else:
        assert isinstance(proposal.value, dict)
        row = dict(proposal.value)
    if not subject.base:
        row |= {"sources": ["refresh"], "confidence": row.get("confidence", "official")}
    elif "source" in row:
        row["source"] = "refresh"
    rows = table.setdefault(list_of, [])
    same = next((told for told in rows if told.get(subject.key) == row[subject.key] and "name" not in told), None)
    if same is not None:
        same.update(row)
    else:
        rows.append(row)


def _put_releases(
    row: dict[str, Any],
    specs: Specs,
    releases: Releases,
    day: date,
    tables: dict[str, dict[str, Any]],
    changes: list[str],
    silent: list[str],
) -> None:
    package = row["package"]
    try:
        wheels = releases.wheels(package, row["project"])
    except Unanswered as error:
        silent.append(f"releases of {row['project']}: {error}")
        return
    known = [told for told in specs.table(WHEELS)["wheels"] if told["package"] == package]
    companions = [told for _, table in specs.tables("frameworks/companions") for told in table["packages"]]
    of = {told["version"] for told in companions if told["name"] == package}
    table = _table(tables, specs, WHEELS)
    for proposal in of_assets(package, wheels, known, row["label"], of):
        assert isinstance(proposal.value, dict)
        changes.append(f"{package} {proposal.version}+{proposal.value['variant']}: {proposal.why}")
        table["wheels"].append({**proposal.value, "sources": ["refresh"]})
    table.setdefault("projects", []).append({**row, "compared": day.isoformat(), "sources": ["refresh"]})


def _is_ours(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline() == MARK
