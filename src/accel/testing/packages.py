"""The Python packages of a simulated machine, as pip installs them: metadata, and torch's own version file."""

import re
from collections.abc import Mapping
from typing import Any, Final

from accel.model.errors import BadInput

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,98}")
_BUILD: Final = re.compile(r"\+(?:(?P<cuda>cu)(?P<cuda_digits>\d{2,3})|rocm(?P<rocm>\d+\.\d+)|(?P<cpu>cpu))")


def files_of(packages: Mapping[str, str], folder: str) -> dict[str, Any]:
    """Return the files of these packages in a site-packages folder.

    packages  {"torch": "2.9.1+cu128"}: if the version's local part names the build, torch's own file names it too

    Raises BadInput for an invalid package name or version.
    """
    found: dict[str, Any] = {}
    for name, version in packages.items():
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise BadInput(f"packages: {name!r:.60} is no name of a Python package.")
        if not isinstance(version, str) or _VERSION.fullmatch(version) is None:
            raise BadInput(f"packages: {version!r:.60} is no version of {name}. Give a text such as '2.9.1+cu128'.")
        home = f"{folder}/{re.sub(r'[-.]+', '_', name)}-{version}.dist-info"
        found[f"{home}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        if name == "torch" and (build := _BUILD.search(version)) is not None:
            found[f"{folder}/torch/version.py"] = _version_file(version, build)
    return found


def _version_file(version: str, build: "re.Match[str]") -> str:
    digits = build["cuda_digits"]
    cuda = f"{digits[:-1]}.{digits[-1]}" if build["cuda"] else None
    return f"__version__ = {version!r}\ncuda = {cuda!r}\nhip = {build['rocm']!r}\n"
