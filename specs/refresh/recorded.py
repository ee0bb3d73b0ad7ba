"""Recorded answers of a package registry and of projects' release lists, in place of the network.

Recorded           reads a folder: <package>.json in the JSON format of PEP 691, <wheel>.metadata
Recording          wraps a registry and records its answers in such a folder
RecordedReleases   reads <package>.releases.json, a page of GitHub's API
"""

import json
from pathlib import Path

from accel.apps.refresh.index import Registry, Unanswered, requires_of, wheels_of_page
from accel.apps.refresh.releases import parsed, wheels_of
from accel.apps.refresh.wheels import Wheel
from accel.text.versions import normalised


class Recorded:
    """Reads recorded answers from a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.said = f"the answers in {folder}"

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the recorded wheels."""
        path = self._folder / f"{normalised(package)}.json"
        if not path.is_file():
            raise Unanswered(f"{path}: nothing is recorded of {package}")
        return wheels_of_page(json.loads(path.read_text(encoding="utf-8")), package)

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the recorded Requires-Dist."""
        stem = "-".join(wheel.name.split("-")[:2])  # all wheels of a release require the same
        path = next(iter(sorted(self._folder.glob(f"{stem}-*.metadata"))), None)
        return requires_of(path.read_text(encoding="utf-8")) if path is not None else None


class Recording:
    """Wraps a registry and records its answers in a folder."""

    def __init__(self, of: Registry, folder: Path) -> None:
        self._of, self._folder, self._kept = of, folder, Recorded(folder)
        self.said = of.said
        folder.mkdir(parents=True, exist_ok=True)

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the wheels, from the folder if already recorded."""
        path = self._folder / f"{normalised(package)}.json"
        if not path.is_file():
            files = [
                {"filename": w.name, "requires-python": w.requires_python, "upload-time": w.uploaded}
                for w in self._of.wheels(package)
            ]
            path.write_text(json.dumps({"name": normalised(package), "files": files}, indent=0), encoding="utf-8")
        return self._kept.wheels(package)

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the Requires-Dist, from the folder if already recorded."""
        if self._kept.requires(wheel) is None:
            told = self._of.requires(wheel)
            if told is None:
                return None
            path = self._folder / f"{wheel.name}.metadata"
            path.write_text("".join(f"Requires-Dist: {line}\n" for line in told), encoding="utf-8")
        return self._kept.requires(wheel)


class RecordedReleases:
    """Reads recorded answers from a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.said = f"the lists of releases in {folder}"

    def wheels(self, package: str, project: str) -> tuple[Wheel, ...]:
        """Return the wheels on the recorded page."""
        path = self._folder / f"{package}.releases.json"
        if not path.is_file():
            raise Unanswered(f"{path}: nothing is recorded of {project}")
        return wheels_of(parsed(path.read_bytes(), str(path)), package, str(path))
