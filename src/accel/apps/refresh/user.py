"""What `accel specs refresh` does for a user: asks the index, and writes what differs into a folder of their own.

accel's own tables stay as they are. The folder's tables amend them (accel.specs.overlay), once ACCEL_SPECS names it.
Everything is asked for and checked before the first file is written; each file is then put in its place as a whole.
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
    """What came of it: the tables to write, by name, and a sentence for each change and for what did not answer."""

    tables: dict[str, dict[str, Any]]
    changes: tuple[str, ...]
    silent: tuple[str, ...]


def refreshed(
    specs: Specs, subjects: Sequence[Subject], index: Registry, releases: Releases | None, day: date, say: Say
) -> Refreshed:
    """Return what differs. Raises Unreachable where there is no way to the index; a package without an answer is said.

    specs  accel's own tables, without any folder of the user's; releases: None: the projects' releases are not asked
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
    """Write the tables into the folder, each as a whole; return the files.

    Raises BadInput, and nothing is written, where a file there is not of an earlier refresh, where the validator finds
    a mistake, and where the folder cannot be written.
    """
    import yaml

    from accel.specs.store import bundled, user_folder
    from accel.specs.validate import problems_in

    targets = {name: folder / f"{name}.yaml" for name in found.tables}
    for path in targets.values():
        if path.exists() and not _is_ours(path):
            raise BadInput(
                f"{path}: it was not written by a refresh, and is kept. Nothing was written. Give --into FOLDER."
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".refresh-") as beside:
            for name, rows in found.tables.items():
                holds = {key: len(value) for key, value in rows.items() if isinstance(value, list)}
                table = {**rows, "holds": holds}  # by which a file that was cut is found out
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
    """Return the folder that is written: the one that was named, that of ACCEL_SPECS, or one beside the user's data."""
    if told := named or environment.get("ACCEL_SPECS"):
        return Path(told).expanduser()
    home = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA") or "~/.local/share"
    return Path(home).expanduser() / "accel" / "specs"


def _table(tables: dict[str, dict[str, Any]], specs: Specs, name: str) -> dict[str, Any]:
    """Return the table that amends one of accel's, begun where there is none yet."""
    if name not in tables:
        own = specs.table(name)
        head = {"framework": own["framework"]} if "framework" in own else {}
        source = {"what": "the package index, or the project's releases", "read": today().isoformat()}
        empty: dict[str, list[Any]] = {key: [] for key in ("releases", "packages", "wheels") if key in own}
        tables[name] = {"amends": True, **head, "sources": {"refresh": source}, **empty}
    return tables[name]


def _put(table: dict[str, Any], subject: Subject, proposal: Proposal) -> None:
    """Add the row of a proposal: whole where it is new, else what tells it apart and what changed."""
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
