"""Compare the wheel tables with a package registry, and propose changes. For maintainers alone.

    python -m specs.refresh                          what differs, in words
    python -m specs.refresh torch --diff             the changes as a diff that  git apply  takes
    python -m specs.refresh torch vllm --write       make them
    python -m specs.refresh --newer                  only which releases are newer than the tables
    python -m specs.refresh --record FOLDER          keep the answers; --recorded FOLDER answers from them

The registry is the one that pip is configured for, and pip asks it; --index-url reads another directly. A wheel is
never downloaded. What is asked is said on stderr as it goes, an answer is waited for half a minute, and where there is
no way to the registry the rest is not asked for. A second run after --write proposes nothing.
"""

import argparse
import difflib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from specs.refresh.propose import Proposal, newer, of_packages, of_releases
from specs.refresh.registry import Ahead, ByPip, BySimpleApi, Recorded, Recording, Registry, Unanswered, Unreachable
from specs.refresh.tables import add_package, add_release, set_key

FRAMEWORKS = Path(__file__).resolve().parent.parent / "frameworks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one package of the registry tells of which tables.

    tables   files whose releases it has; packages: the file whose rows it has instead
    of       the key of a row that names the wheels' release, where it is not the row's own version
    variant  the build that the package is, of a framework whose builds are packages of their own
    pins, parts, since   of rows of packages: see propose.of_packages
    """

    package: str
    tables: tuple[str, ...] = ()
    packages: str = ""
    of: str = ""
    variant: str = ""
    pins: tuple[str, ...] = ()
    parts: int = 3
    since: str = "0"


_TORCH = ("torch", "torchvision", "torchaudio")
SUBJECTS = (
    Subject(package="torch", tables=("torch_1", "torch")),
    Subject(package="tensorflow", tables=("tensorflow",)),
    Subject(package="jaxlib", tables=("jax_0.4", "jax"), of="jaxlib"),
    Subject(package="jax-rocm7-plugin", tables=("jax",), variant="rocm7-local"),
    Subject(package="vllm", packages="companions", pins=_TORCH, parts=2, since="0.4.3"),
    Subject(package="sglang", packages="companions", pins=("torch", "torchvision"), since="0.5.3"),
    Subject(package="xformers", packages="companions", pins=("torch",), parts=3, since="0.0.23"),
    Subject(package="bitsandbytes", packages="companions", pins=("torch",), parts=2, since="0.45"),
    Subject(package="torchvision", packages="companions", pins=("torch",), since="0.29.1"),
    Subject(package="torchaudio", packages="companions", pins=("torch",), since="2.11"),
    Subject(package="torchcodec", packages="companions", pins=("torch",), parts=2, since="0.11"),
    Subject(package="triton", packages="companions", parts=3, since="2.1"),
    Subject(package="ctranslate2", tables=("ctranslate2",)),
    Subject(package="cupy-cuda12x", tables=("cupy",)),
    Subject(package="cupy-cuda13x", packages="companions", pins=("numpy",), parts=2, since="14.2"),
    Subject(package="mindspore", tables=("mindspore",)),
    Subject(package="onnxruntime-gpu", tables=("onnxruntime-gpu",)),
    Subject(package="onnxruntime-directml", tables=("onnxruntime-directml",)),
    Subject(package="onnxruntime-migraphx", tables=("onnxruntime-migraphx",)),
    Subject(package="onnxruntime-rocm", tables=("onnxruntime-rocm",)),
    Subject(package="paddlepaddle", tables=("paddlepaddle",)),
)


def main(words: Sequence[str]) -> int:
    """Print what differs; 2 if the registry did not answer."""
    options = _parser().parse_args(words)
    known = {subject.package: subject for subject in SUBJECTS}
    if unknown := [name for name in options.packages if name not in known]:
        print(f"{', '.join(unknown)}: no table is made of it. Known are: {', '.join(known)}", file=sys.stderr)
        return 2
    subjects = [known[name] for name in options.packages] or list(SUBJECTS)
    registry = Ahead(_registry(options), [subject.package for subject in subjects])
    silent = told = 0
    texts: dict[str, str] = {}
    _say(f"{len(subjects)} packages are compared with {registry.said}.")
    for number, subject in enumerate(subjects, 1):
        _say(f"[{number}/{len(subjects)}] {subject.package}")
        try:
            if options.newer:
                lines = list(_newer(subject, registry))
                told += len(lines)
                sys.stdout.writelines(lines)
                continue
            proposals = _proposals(subject, registry)
        except Unreachable as error:
            _say(f"There is no way to {registry.said}: {error}.")
            _say("Nothing more was compared. Try again with a network, or with --recorded FOLDER.")
            return 2
        except Unanswered as error:
            _say(f"{subject.package}: the registry did not answer: {error}")
            silent += 1
            continue
        sys.stdout.writelines(_report(subject, proposals) if not options.diff else ())
        for proposal in proposals:
            name = _file(subject, proposal)
            texts[name] = _edited(texts.get(name) or _text(name), proposal)
    for name, text in texts.items():
        if options.diff:
            path = f"specs/frameworks/{name}.yaml"
            old, new = _text(name).splitlines(keepends=True), text.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))
        if options.write:
            (FRAMEWORKS / f"{name}.yaml").write_text(text, encoding="utf-8")
    if options.newer and not silent:
        _say(f"{told} of {len(subjects)} packages have releases newer than the tables.")
    return 2 if silent else 0


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _proposals(subject: Subject, registry: Registry) -> list[Proposal]:
    wheels = registry.wheels(subject.package)
    if subject.packages:
        rows = [row for row in _table(subject.packages)["packages"] if row["name"] == subject.package]
        return of_packages(subject.package, wheels, rows, registry.requires, subject.pins, subject.parts, subject.since)
    rows = [row for name in subject.tables for row in _table(name)["releases"]]
    return of_releases(subject.package, wheels, rows, registry.requires, subject.of, subject.variant)


def _newer(subject: Subject, registry: Registry) -> Iterator[str]:
    names = subject.tables or (subject.packages,)
    key = "packages" if subject.packages else "releases"
    rows = [row for name in names for row in _table(name)[key] if row.get("name", subject.package) == subject.package]
    versions = [row.get(subject.of) or row["version"] for row in rows]
    if found := newer(registry.wheels(subject.package), versions):
        yield f"{subject.package}: newer than the tables: {', '.join(found)}\n"


def _report(subject: Subject, proposals: Sequence[Proposal]) -> Iterator[str]:
    if not proposals:
        yield f"{subject.package}: as the registry has it\n"
    for proposal in proposals:
        what = f"{proposal.key}: {proposal.why}" if proposal.key else f"new: {_members(proposal)}"
        yield f"{subject.package} {proposal.version}  {what}\n"


def _members(proposal: Proposal) -> str:
    told = dict(proposal.value) if isinstance(proposal.value, dict) else {}
    return "; ".join(
        f"{key} {value}" for key, value in told.items() if key in ("date", "requires", "cuda_toolkit", "pythons")
    )


def _file(subject: Subject, proposal: Proposal) -> str:
    """Return the table that holds the release; a new one goes into the last."""
    for name in subject.tables:
        if any(row["version"] == proposal.version for row in _table(name)["releases"]):
            return name
    return subject.packages or subject.tables[-1]


def _edited(text: str, proposal: Proposal) -> str:
    if proposal.key is not None:
        return set_key(text, proposal.version, proposal.key, proposal.value)
    assert isinstance(proposal.value, dict)
    return add_package(text, proposal.value) if "name" in proposal.value else add_release(text, proposal.value)


def _text(name: str) -> str:
    return (FRAMEWORKS / f"{name}.yaml").read_text(encoding="utf-8")


def _table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml.load(_text(name), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return table


def _registry(options: argparse.Namespace) -> Registry:
    if options.recorded:
        return Recorded(Path(options.recorded))
    asked: Registry = BySimpleApi(options.index_url) if options.index_url else ByPip()
    return Recording(asked, Path(options.record)) if options.record else asked


def _parser() -> argparse.ArgumentParser:
    it = argparse.ArgumentParser(
        prog="python -m specs.refresh", description="Compare the wheel tables with a package registry."
    )
    it.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"{', '.join(s.package for s in SUBJECTS)}; all")
    it.add_argument("--newer", action="store_true", help="print only the releases that are newer than the tables")
    it.add_argument("--diff", action="store_true", help="print the changes as a diff")
    it.add_argument("--write", action="store_true", help="write the changes to the tables")
    it.add_argument("--index-url", metavar="URL", help="read this index instead of asking pip")
    it.add_argument("--record", metavar="FOLDER", help="keep the answers there")
    it.add_argument("--recorded", metavar="FOLDER", help="answer from there, without a network")
    return it


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
