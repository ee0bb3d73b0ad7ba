"""`accel specs refresh`: compares the package tables with the index, and writes changes to the user's folder."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from accel.apps.cli.output import write_json, write_lines
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.apps.refresh.index import Registry
    from accel.apps.refresh.subjects import Subject
    from accel.apps.refresh.user import Refreshed


def add_arguments(it: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    it.add_argument("packages", nargs="*", metavar="PACKAGE", help="torch, vllm … (default: all)")
    it.add_argument(
        "--into", metavar="FOLDER", help="folder to write to (default: ACCEL_SPECS, or a folder in your user data)"
    )
    it.add_argument("--index-url", metavar="URL", help="read this package index instead of pip's")
    it.add_argument("--without-releases", action="store_true", help="do not query GitHub for releases")
    it.add_argument("--yes", action="store_true", help="do not ask before using the network")


def run(options: argparse.Namespace) -> int:
    """Compare and write, after the user agreed to use the network.

    Return 1 if something did not answer, 2 if the index is unreachable.
    """
    from accel.apps.refresh.subjects import subjects_of
    from accel.apps.refresh.user import own_folder
    from accel.specs import load

    specs = load(environment={})
    known = {subject.package: subject for subject in subjects_of(specs.table("frameworks/subjects"))}
    if unknown := [name for name in options.packages if name not in known]:
        raise BadInput(f"{', '.join(unknown)}: no table is made of it. Known are: {', '.join(known)}.")
    subjects = [known[name] for name in options.packages] or list(known.values())
    folder = own_folder(options.into, dict(os.environ))
    if not options.index_url and find_spec("pip") is None:
        raise BadInput("pip is not installed beside accel, so no index is known. Name one:  --index-url URL")
    if not (options.yes or _agreed(subjects, folder, options)):
        _say("Nothing was queried, and nothing was written.")
        return 0
    return _refresh(options, specs, subjects, folder)


def _refresh(options: argparse.Namespace, specs: "object", subjects: "list[Subject]", folder: Path) -> int:
    from accel.apps.refresh.index import Ahead, Unreachable
    from accel.apps.refresh.releases import OfGitHub
    from accel.apps.refresh.user import refreshed, write
    from accel.specs import Specs
    from accel.specs.age import today

    assert isinstance(specs, Specs)
    index = Ahead(_index(options), [subject.package for subject in subjects])
    releases = None if options.without_releases else OfGitHub()
    try:
        found = refreshed(specs, subjects, index, releases, today(), _say)
        files = write(found, folder)
    except Unreachable as error:
        _say(f"{index.said} cannot be reached: {error}. Nothing was written; the data is unchanged.")
        return 2
    except KeyboardInterrupt:
        _say("Interrupted. Nothing was written; the data is as before.")
        return 130
    _told(options, found, files, folder)
    return 1 if found.silent else 0


def _told(options: argparse.Namespace, found: "Refreshed", files: list[str], folder: Path) -> None:
    for sentence in found.silent:
        _say(f"No answer: {sentence}. Its table is unchanged.")
    if options.json:
        write_json("accel.spec_refresh/1", folder=str(folder), files=files, changes=list(found.changes))
        return
    write_lines(found.changes or ("Everything is as the index has it.",))
    sys.stdout.write(f"{len(files)} tables were written to {folder}; those of the installation are unchanged.\n")
    if os.environ.get("ACCEL_SPECS") != str(folder):
        sys.stdout.write(f"They are used where ACCEL_SPECS names the folder:  export ACCEL_SPECS={folder}\n")


def _index(options: argparse.Namespace) -> "Registry":
    from accel.apps.refresh.index import ByPip, BySimpleApi

    return BySimpleApi(options.index_url) if options.index_url else ByPip()


def _agreed(subjects: "list[Subject]", folder: Path, options: argparse.Namespace) -> bool:
    """Say what would be requested and written, and ask; return False if nobody answers."""
    asked = options.index_url or "the package index that pip is configured for"
    also = "" if options.without_releases else " and GitHub's lists of releases"
    packages = subjects[0].package if len(subjects) == 1 else f"{len(subjects)} packages"
    _say(f"This queries {asked} about {packages}{also}, and writes the differences to {folder}.")
    _say("Nothing is installed, and nothing about this machine is sent.")
    if not sys.stdin.isatty():
        raise BadInput("Nobody can answer here. To agree beforehand, give --yes.")
    print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
