"""Compare the tables of packages with a package index and the projects' releases, and propose changes. For maintainers.

    python -m specs.refresh                          what differs, in words
    python -m specs.refresh torch --diff             the changes as a diff that  git apply  takes
    python -m specs.refresh torch vllm --write       make them, and note the day of the comparison
    python -m specs.refresh --newer                  only which releases are newer; warnings about tables not compared
                                                     for more than 30 days; with --strict they are a failure
    python -m specs.refresh --releases               the wheels that projects publish with their releases, too
    python -m specs.refresh --record FOLDER          keep the answers; --recorded FOLDER answers from them

The index is the one that pip is configured for, and pip asks it; --index-url reads another directly. A wheel is never
downloaded. What is asked is said on stderr as it goes, an answer is waited for half a minute, and where there is no way
to the index the rest is not asked for. A second run after --write proposes nothing.
"""

import argparse
import difflib
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from accel.apps.refresh.index import Ahead, ByPip, BySimpleApi, Registry, Unanswered, Unreachable
from accel.apps.refresh.propose import Proposal, of_assets
from accel.apps.refresh.releases import OfGitHub, Releases
from accel.apps.refresh.subjects import Subject, proposals_of, subjects_of
from specs.refresh.compared import compared_on, newer_of, overdue, overdue_releases
from specs.refresh.recorded import Recorded, RecordedReleases, Recording
from specs.refresh.tables import add_package, add_release, add_row, set_compared, set_key

SPECS = Path(__file__).resolve().parent.parent
WHEELS = "frameworks/release_wheels"


def main(words: Sequence[str], today: date | None = None) -> int:
    """Print what differs; 2 if the index did not answer.

    With --newer --strict 1 if a table was not compared for too long. That is known without the index, which is then
    not asked. Without --strict it is a warning: the same commit must not pass today and fail next month.
    """
    options = _parser().parse_args(words)
    if options.strict and not options.newer:
        _parser().error("--strict goes with --newer")
    known = {subject.package: subject for subject in subjects_of(_table("frameworks/subjects"))}
    if unknown := [name for name in options.packages if name not in known]:
        print(f"{', '.join(unknown)}: no table is made of it. Known are: {', '.join(known)}", file=sys.stderr)
        return 2
    subjects = [known[name] for name in options.packages] or list(known.values())
    run = _Run(options, today or date.today())
    late = [sentence for subject in subjects for sentence in run.late(subject)]
    if not options.packages:
        late += overdue_releases(_table(WHEELS), run.today)
    if not options.newer:
        return run.compare(subjects)
    sys.stdout.writelines(f"{sentence}\n" if options.strict else f"warning: {sentence}\n" for sentence in late)
    if late and options.strict:
        return 1
    run.newer(subjects)
    return 0


class _Run:
    """One run: its options, and the texts of the tables as they are to be written."""

    def __init__(self, options: argparse.Namespace, today: date) -> None:
        self.options, self.today = options, today
        self._texts: dict[str, str] = {}

    def late(self, subject: Subject) -> Iterator[str]:
        """Yield a sentence if the subject was not compared for too long."""
        return overdue(subject.package, compared_on(subject, _tables(subject)), self.today)

    def newer(self, subjects: Sequence[Subject]) -> int:
        """Print the releases that are newer than the tables; 2 if the index did not answer."""
        told = silent = 0
        index = self._index(subjects)
        for subject in subjects:
            try:
                found = newer_of(subject, _tables(subject), index)
            except Unreachable as error:
                return _no_way(index, error)
            except Unanswered as error:
                silent += _unanswered(subject.package, error)
                continue
            if found:
                told += 1
                print(f"{subject.package}: newer than the tables: {', '.join(found)}")
        _say(f"{told} of {len(subjects)} packages have releases newer than the tables.")
        return 2 if silent else 0

    def compare(self, subjects: Sequence[Subject]) -> int:
        """Print, and with --write make, the changes; 2 if the index did not answer for something."""
        silent = 0
        index = self._index(subjects)
        for number, subject in enumerate(subjects, 1):
            _say(f"[{number}/{len(subjects)}] {subject.package}")
            try:
                proposals = proposals_of(subject, _tables(subject), index)
            except Unreachable as error:
                return _no_way(index, error)
            except Unanswered as error:
                silent += _unanswered(subject.package, error)
                continue
            self._take(subject, proposals)
        for row in _table(WHEELS)["projects"] if self.options.releases else ():
            silent += self._releases(row)
        self._finish()
        return 2 if silent else 0

    def _take(self, subject: Subject, proposals: Sequence[Proposal]) -> None:
        sys.stdout.writelines(_report(subject.package, proposals) if not self.options.diff else ())
        for proposal in proposals:
            name = _file(subject, proposal)
            self._texts[name] = _edited(subject, self._text(name), proposal)
        for name in subject.files if not subject.variant else ():
            package = subject.package if subject.rows else None
            self._texts[name] = set_compared(self._text(name), self.today.isoformat(), package)

    def _releases(self, row: dict[str, Any]) -> int:
        asked: Releases = RecordedReleases(Path(self.options.recorded)) if self.options.recorded else OfGitHub()
        package = row["package"]
        try:
            wheels = asked.wheels(package, row["project"])
        except Unanswered as error:
            return _unanswered(f"releases of {row['project']}", error)
        table = _table(WHEELS)
        rows = [told for told in table["wheels"] if told["package"] == package]
        known = {r["version"] for r in _table("frameworks/companions")["packages"] if r["name"] == package}
        proposals = of_assets(package, wheels, rows, row["label"], known)
        sys.stdout.writelines(_report(package, proposals) if not self.options.diff else ())
        for proposal in proposals:
            assert isinstance(proposal.value, dict)
            self._texts[WHEELS] = add_row(self._text(WHEELS), proposal.value, ("package", "version", "variant"))
        self._texts[WHEELS] = set_compared(self._text(WHEELS), self.today.isoformat(), package, inside="projects")
        return 0

    def _finish(self) -> None:
        for name, text in self._texts.items():
            if self.options.diff:
                path = f"specs/{name}.yaml"
                old, new = _read(name).splitlines(keepends=True), text.splitlines(keepends=True)
                sys.stdout.writelines(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
            if self.options.write:
                (SPECS / f"{name}.yaml").write_text(text, encoding="utf-8")

    def _text(self, name: str) -> str:
        return self._texts.get(name) or _read(name)

    def _index(self, subjects: Sequence[Subject]) -> Ahead:
        index = Ahead(_registry(self.options), [subject.package for subject in subjects])
        _say(f"{len(subjects)} packages are compared with {index.said}.")
        return index


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _no_way(index: Registry, error: Exception) -> int:
    _say(f"There is no way to {index.said}: {error}.")
    _say("Nothing more was compared. Try again with a network, or with --recorded FOLDER.")
    return 2


def _unanswered(what: str, error: Exception) -> int:
    _say(f"{what}: no answer: {error}")
    return 1


def _report(package: str, proposals: Sequence[Proposal]) -> Iterator[str]:
    if not proposals:
        yield f"{package}: as the index has it\n"
    for proposal in proposals:
        what = f"{proposal.key}: {proposal.why}" if proposal.key else f"new: {_members(proposal)}"
        yield f"{package} {proposal.version}  {what}\n"


def _members(proposal: Proposal) -> str:
    told = dict(proposal.value) if isinstance(proposal.value, dict) else {}
    shown = ("date", "requires", "cuda_toolkit", "pythons", "variant", "tags")
    return "; ".join(f"{key} {value}" for key, value in told.items() if key in shown)


def _file(subject: Subject, proposal: Proposal) -> str:
    """Return the table that holds the release; a new one goes into the last."""
    for name in subject.files if subject.tables else ():
        if any(row["version"] == proposal.version for row in _table(name)["releases"]):
            return name
    return subject.files[-1]


def _edited(subject: Subject, text: str, proposal: Proposal) -> str:
    if subject.base:
        if proposal.key is not None:
            return add_row(text, {subject.key: proposal.version, proposal.key: proposal.value}, (subject.key,))
        assert isinstance(proposal.value, dict)
        return add_row(text, proposal.value, (subject.key,), subject.list)
    if proposal.key is not None:
        return set_key(text, proposal.version, proposal.key, proposal.value)
    assert isinstance(proposal.value, dict)
    return add_package(text, proposal.value) if "name" in proposal.value else add_release(text, proposal.value)


def _read(name: str) -> str:
    return (SPECS / f"{name}.yaml").read_text(encoding="utf-8")


def _tables(subject: Subject) -> list[dict[str, Any]]:
    return [_table(name) for name in subject.files]


def _table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml.load(_read(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return table


def _registry(options: argparse.Namespace) -> Registry:
    if options.recorded:
        return Recorded(Path(options.recorded))
    asked: Registry = BySimpleApi(options.index_url) if options.index_url else ByPip()
    return Recording(asked, Path(options.record)) if options.record else asked


def _parser() -> argparse.ArgumentParser:
    it = argparse.ArgumentParser(
        prog="python -m specs.refresh", description="Compare the tables of packages with a package index."
    )
    it.add_argument("packages", nargs="*", metavar="PACKAGE", help="of specs/frameworks/subjects.yaml; default: all")
    it.add_argument("--newer", action="store_true", help="only what is newer; warns of tables that were not compared")
    it.add_argument("--strict", action="store_true", help="with --newer: fail where it would warn; before a release")
    it.add_argument("--releases", action="store_true", help="ask for the projects' releases on GitHub, too")
    it.add_argument("--diff", action="store_true", help="print the changes as a diff")
    it.add_argument("--write", action="store_true", help="write the changes to the tables")
    it.add_argument("--index-url", metavar="URL", help="read this index instead of asking pip")
    it.add_argument("--record", metavar="FOLDER", help="keep the answers there")
    it.add_argument("--recorded", metavar="FOLDER", help="answer from there, without a network")
    return it


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
