"""What a package registry knows about a package: its wheels, and what one of them requires.

ByPip         uses pip, which knows this machine's index, credentials and certificates; no address is stored here
BySimpleApi   reads an index through the JSON simple repository API (PEP 691) and its METADATA files (PEP 658)
Ahead         wraps another one and requests several packages at once

None of them downloads a wheel.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from email.parser import HeaderParser
from http.client import HTTPException
from pathlib import Path
from typing import Any, Protocol

from accel.apps.refresh.wheels import Wheel, wheel_of
from accel.text.versions import normalised

_JSON = "application/vnd.pypi.simple.v1+json"
_AT_ONCE = 4  # packages requested at once
MOST_BYTES = 50_000_000  # per response
_SECONDS = 30  # per response; a pip without network retries for longer
_NO_WAY_THERE = ("connection broken", "could not fetch url", "connection error", "name resolution", "is unreachable")


class Unanswered(Exception):
    """The registry did not answer; the text has the request and the response."""


class Unreachable(Unanswered):
    """The registry is unreachable: requests for other packages would fail too."""


class Registry(Protocol):
    """A source of proposals. said: a description of it for people."""

    said: str

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the wheels of all final releases. Raises Unanswered."""

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the wheel's Requires-Dist; None if it is not available without the wheel."""


class ByPip:
    """Uses pip. pip: the command to run."""

    said = "the package index that pip is configured for"

    def __init__(self, pip: Sequence[str] = (sys.executable, "-m", "pip")) -> None:
        self._pip = pip

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the wheels that pip considers when asked for versions; upload dates are unknown."""
        done = self._run("index", "versions", package, "-vvv")
        found: dict[str, Wheel] = {}
        for line in done.stdout.splitlines() + done.stderr.splitlines():
            told = re.search(r"\(requires-python:([^)]*)\)", line)
            for name in re.findall(r"[A-Za-z0-9_.+%!-]+\.(?:whl|tar\.gz)", line):
                wheel = wheel_of(name, told[1] if told else None, package=package)
                if wheel is not None:
                    found.setdefault(wheel.name, wheel)
        if not found and not done.returncode:
            raise Unanswered(f"pip index versions {package}: no file of a final release in the answer")
        if not found:
            said = done.stderr.strip()
            kind = Unreachable if any(words in said.lower() for words in _NO_WAY_THERE) else Unanswered
            raise kind(f"pip index versions {package}: {(said.splitlines() or ['it said nothing'])[-1]}")
        return tuple(found.values())

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the Requires-Dist that pip would read from the wheel's METADATA before downloading it."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            version = (wheel.interpreter or "3.12").rstrip("t")
            words = ["install", "--dry-run", "--no-deps", "--ignore-installed", "--ignore-requires-python", "--quiet"]
            words += ["--only-binary", ":all:", "--python-version", version, "--target", folder]
            words += [w for tag in wheel.tag.split(".") for w in ("--platform", tag)]
            self._run(*words, "--report", str(report), f"{wheel.package}=={wheel.version}")
            if not report.is_file():
                return None
            try:
                told = json.loads(report.read_text(encoding="utf-8"))["install"]
                return tuple(told[0]["metadata"].get("requires_dist", ())) if told else None
            except (ValueError, KeyError, TypeError):
                return None

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [*self._pip, "--retries", "1", "--timeout", "10", *words]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Unreachable(f"pip {' '.join(words[:3])}: no answer in {_SECONDS} s") from None


class BySimpleApi:
    """Reads an index directly, which also gives upload dates."""

    def __init__(self, index_url: str) -> None:
        self._index = self.said = index_url.rstrip("/")
        self._addresses: dict[str, str] = {}

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the wheels on the package's page, without yanked ones."""
        address = f"{self._index}/{normalised(package)}/"
        try:
            page = json.loads(read_address(address, _JSON))
            self._addresses |= {f["filename"]: f["url"] for f in page["files"] if f.get("core-metadata")}
            found = wheels_of_page(page, package)
        except (ValueError, KeyError, TypeError) as error:
            raise Unanswered(f"{address}: not a page of the simple repository API ({error!r:.80})") from None
        if not found:
            raise Unanswered(f"{address}: no file of a final release in the answer")
        return found

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the Requires-Dist of the METADATA next to the wheel."""
        address = self._addresses.get(wheel.name)
        return requires_of(read_address(f"{address}.metadata", "*/*").decode("utf-8")) if address else None


def read_address(address: str, accept: str) -> bytes:
    """Return the content at an address. Raises Unanswered, or Unreachable."""
    if not address.startswith(("https://", "http://127.0.0.1")):
        raise Unanswered(f"{address}: not an https address")
    asked = urllib.request.Request(address, headers={"Accept": accept, "User-Agent": "accel"})
    try:
        with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:
            read: bytes = answer.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise Unanswered(f"{address}: {error}") from None
    except (OSError, HTTPException) as error:
        raise Unreachable(f"{address}: {error}") from None
    if len(read) > MOST_BYTES:
        raise Unanswered(f"{address}: longer than {MOST_BYTES} bytes, which no list of releases is")
    return read


class Ahead:
    """Wraps a registry: once it has answered for one package, the next ones are requested a few at a time."""

    def __init__(self, of: Registry, packages: Sequence[str]) -> None:
        self._of, self._later = of, list(dict.fromkeys(packages))
        self._asked: dict[str, Future[tuple[Wheel, ...]]] = {}
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self.said = of.said

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        """Return the wheels. If the registry is unreachable, no other package is requested."""
        if package in self._asked:
            return self._asked[package].result()
        found = self._of.wheels(package)
        for name in self._later:
            if name != package:
                self._asked[name] = self._pool.submit(self._of.wheels, name)
        self._later = []
        return found

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        """Return the Requires-Dist from the wrapped registry."""
        return self._of.requires(wheel)


def wheels_of_page(page: dict[str, Any], package: str) -> tuple[Wheel, ...]:
    """Parse the wheels of a page in the JSON format of the simple repository API."""
    made = (
        wheel_of(f["filename"], f.get("requires-python"), f.get("upload-time"), package=package)
        for f in page["files"]
        if not f.get("yanked")
    )
    return tuple(wheel for wheel in made if wheel is not None)


def requires_of(metadata: str) -> tuple[str, ...]:
    """Return the Requires-Dist lines of a METADATA file."""
    return tuple(HeaderParser().parsestr(metadata).get_all("Requires-Dist") or ())
