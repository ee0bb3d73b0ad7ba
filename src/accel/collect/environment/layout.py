"""Where a Python looks for packages, from the layout of its folder: nothing in it is run.

Reads   <prefix>/pyvenv.cfg                      "version = 3.11.7", "version_info = 3.11.7", "home = /usr/bin"
        <prefix>/conda-meta/python-3.11.7-….json the version that conda installed
        <prefix>/bin/python3                     its link target: "python3.11"; else the only <prefix>/lib/python3.*
        <prefix>/lib/python3.11/site-packages    its packages; Debian has dist-packages, Windows Lib/site-packages
        ~/.local/lib/python3.11/site-packages    the user's, which a venv does not see, unlike other Pythons
        <site>/*.pth                             lines that are paths; lines with "import" are not run
Source  PEP 405; CPython: site; conda: conda-meta; Debian's Python policy
"""

import posixpath
import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accel.machine.protocol import Machine

_VERSION: Final = pattern(r"^version(?:_info)?\s{0,9}=\s{0,9}(\d\.\d{1,3}\.\d{1,3})", re.MULTILINE)
_HOME: Final = pattern(r"^home\s{0,9}=\s{0,9}(\S[^\r\n]{0,400})", re.MULTILINE)
_SYSTEM_TOO: Final = pattern(r"^include-system-site-packages\s{0,9}=\s{0,9}true", re.MULTILINE)
_CONDA: Final = pattern(r"python-(\d\.\d{1,3}\.\d{1,3})-[^/]{1,80}\.json", exact_case=True)
_PYTHON: Final = pattern(r"python(\d\.\d{1,3})", exact_case=True)
_RELEASE: Final = pattern(r"\d\.\d{1,3}\.\d{1,3}", exact_case=True)
_MOST_PATH_FILES: Final = 200
_MOST_LINKS: Final = 4


def read_from_files(machine: "Machine", prefix: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the version of a folder's Python, "3.11.7" or "3.11", and its sys.path; None if its files do not say."""
    prefix = prefix.rstrip("/") or "/"
    version = _version(machine, prefix)
    if version is None:
        return None
    sites = packages_of(machine, prefix, version)
    if not any(machine.exists(site) for site in sites):
        return None
    variable = machine.environment.get("PYTHONPATH", "")
    first = tuple(path for path in variable.split(";" if machine.system == "windows" else ":") if path)
    return version, (*first, _library(machine, prefix, version), *sites)


def packages_of(machine: "Machine", prefix: str, version: str) -> tuple[str, ...]:
    """Return the package folders of a Python, in the order of its sys.path, as site adds them."""
    made = file_text(machine, f"{prefix}/pyvenv.cfg")
    base = None if made is None else _base(made)
    own = list(_own_sites(machine, prefix, version))
    if made is None:
        own = [*_users(machine, version), *own]
    elif base is not None and _SYSTEM_TOO.search(made):
        own = [*_users(machine, version), *own, *_own_sites(machine, base, version)]
    found: list[str] = []
    for site in own:
        found += [site, *_path_files(machine, site)]
    return tuple(dict.fromkeys(found))


def _version(machine: "Machine", prefix: str) -> str | None:
    made = file_text(machine, f"{prefix}/pyvenv.cfg")
    if made is not None:
        told = _VERSION.search(made)
        return told[1] if told else None
    conda = next((hit for name in names_in(machine, f"{prefix}/conda-meta") if (hit := _CONDA.fullmatch(name))), None)
    if conda is not None:
        return conda[1]
    if machine.system == "windows":
        return None
    minor = _linked(machine, prefix) or _only_library(machine, prefix)
    folder = posixpath.basename(prefix)  # of pyenv
    return folder if minor is not None and _RELEASE.fullmatch(folder) and folder.startswith(f"{minor}.") else minor


def _linked(machine: "Machine", prefix: str) -> str | None:
    """Return the version in the link target of <prefix>/bin/python: "3.11"."""
    name = next((name for name in ("python", "python3") if machine.exists(f"{prefix}/bin/{name}")), None)
    for _ in range(_MOST_LINKS):
        if name is None:
            return None
        found = _PYTHON.fullmatch(name)
        if found is not None:
            return found[1]
        target = machine.link(f"{prefix}/bin/{name}")
        name = None if target is None or "/" in target else target
    return None


def _only_library(machine: "Machine", prefix: str) -> str | None:
    """Return the version of the only Python library in the prefix: "3.11"."""
    versions = [found[1] for name in names_in(machine, f"{prefix}/lib") if (found := _PYTHON.fullmatch(name))]
    return versions[0] if len(versions) == 1 else None


def _library(machine: "Machine", prefix: str, version: str) -> str:
    return f"{prefix}/Lib" if machine.system == "windows" else f"{prefix}/lib/python{_minor(version)}"


def _own_sites(machine: "Machine", prefix: str, version: str) -> "Iterator[str]":
    if prefix == "/usr" and machine.exists("/usr/lib/python3/dist-packages"):
        yield f"/usr/local/lib/python{_minor(version)}/dist-packages"
        yield "/usr/lib/python3/dist-packages"
    yield f"{_library(machine, prefix, version)}/site-packages"


def _users(machine: "Machine", version: str) -> "Iterator[str]":
    variables = machine.environment
    if variables.get("PYTHONNOUSERSITE"):
        return
    if machine.system == "windows":
        if base := variables.get("PYTHONUSERBASE") or variables.get("APPDATA", ""):
            yield f"{base}/Python/Python{_minor(version).replace('.', '')}/site-packages".replace("\\", "/")
    elif base := variables.get("PYTHONUSERBASE") or (f"{variables['HOME']}/.local" if "HOME" in variables else ""):
        yield f"{base}/lib/python{_minor(version)}/site-packages"


def _path_files(machine: "Machine", site: str) -> "Iterator[str]":
    """Yield the folders that a site's .pth files add. Python would run lines with "import"; they are skipped here."""
    for name in [name for name in names_in(machine, site) if name.endswith(".pth")][:_MOST_PATH_FILES]:
        for line in (file_text(machine, f"{site}/{name}") or "").splitlines():
            line = line.strip()
            if not line or line.startswith(("#", "import ", "import\t")) or not line.isprintable():
                continue
            path = posixpath.normpath(posixpath.join(site, line))
            if machine.exists(path):
                yield path


def _base(made: str) -> str | None:
    """Return the prefix of the Python that a venv was created with."""
    home = _HOME.search(made)
    if home is None:
        return None
    folder = home[1].strip().replace("\\", "/").rstrip("/")
    return folder.removesuffix("/bin") or "/"


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
