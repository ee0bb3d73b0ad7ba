"""A Python environment as a recorded machine, for tests: distributions with what they declare, their files, RECORDs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from accel.machine.recorded import RecordedMachine

PREFIX = "/work/env"
SITE = f"{PREFIX}/lib/python3.11/site-packages"


class RecordedEnvironment:
    """Writes an environment of Python 3.11 on x86_64 below a folder; `machine()` reads it."""

    def __init__(
        self, folder: Path, paths: Sequence[str] = (SITE,), variables: Mapping[str, str] | None = None
    ) -> None:
        self._folder = folder
        interpreter = {
            "executable": f"{PREFIX}/bin/python",
            "version": "3.11.7",
            "paths": list(paths),
            "prefix": PREFIX,
        }
        self._stated = {"interpreter": interpreter, "environment": dict(variables or {})}
        self.file("/proc/sys/kernel/arch", "x86_64\n")
        self.file(f"{PREFIX}/pyvenv.cfg", "version = 3.11.7\n")

    def file(self, path: str, content: str | bytes = "") -> None:
        """Write a file of the machine."""
        place = self._folder / "files" / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def package(
        self,
        name: str,
        version: str,
        *requires: str,
        files: Mapping[str, str | bytes] | None = None,
        site: str = SITE,
        missing: Sequence[str] = (),
        python: str = "",
    ) -> None:
        """Install a distribution; what is `missing` of its files stands in its RECORD only. python: Requires-Python."""
        module = name.replace("-", "_")
        info = f"{module}-{version}.dist-info"
        content = {f"{module}/__init__.py": f'__version__ = "{version}"\n'} if files is None else dict(files)
        declared = "".join(f"Requires-Dist: {one}\n" for one in requires)
        declared += f"Requires-Python: {python}\n" if python else ""
        content[f"{info}/METADATA"] = (
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{declared}\nAbout it.\n"
        )
        record = "".join(f"{path},sha256=0,{len(text)}\n" for path, text in content.items())
        content[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
        for path, text in content.items():
            if path not in missing:
                self.file(f"{site}/{path}", text)

    def machine(self) -> RecordedMachine:
        """Return the machine that answers for it."""
        (self._folder / "machine.yaml").write_text(yaml.safe_dump(self._stated), encoding="utf-8")
        return RecordedMachine(self._folder)
