"""accel as one file that any Python from 3.10 on runs, `python3 accel.pyz fleet probe`: --copy sends it to nodes.

It contains the files of the installed package, its plugins and the modules that a probe needs, in pure Python. Builds
from the same installation are byte-identical. The tables are read as files, so it unpacks itself into a temporary
folder, and removes that when it ends.
"""

import os
import zipfile
from collections.abc import Iterator
from importlib import metadata, util
from typing import Final

from accel.machine.outside import PACKAGE
from accel.model.errors import BadInput

MOST_BYTES: Final = 6_000_000  # many nodes fetch it at once
_OWN: Final = "accel-sdk"
_NEEDED: Final = ("packaging", "pluggy", "pynvml", "yaml")  # msgspec and rich only read and draw what a probe writes
_COMPILED: Final = (".pyc", ".so", ".pyd", ".dll", ".dylib")
_LEFT_OUT: Final = frozenset(("__pycache__", "tests", "patterns.bin"))  # the last works with one Python only
_DATED: Final = (1980, 1, 1, 0, 0, 0)  # the earliest that the format has
_MAIN: Final = """\
import sys

if sys.version_info < (3, 10):
    sys.stderr.write("accel needs Python 3.10 or newer, and this is %d.%d.%d\\n" % sys.version_info[:3])
    sys.exit(2)


def run():
    import os
    import shutil
    import tempfile
    import zipfile

    here = os.path.abspath(sys.path[0])
    folder = tempfile.mkdtemp(prefix="accel-", dir=os.path.dirname(here))
    try:
        with zipfile.ZipFile(here) as archive:
            archive.extractall(folder)
        sys.dont_write_bytecode = True
        sys.path[0] = folder
        from accel.apps.cli import main, reap

        code = main(sys.argv[1:])
        reap()
        return code
    finally:
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(run())
"""


def write(path: str) -> None:
    """Write the archive.

    Raises BadInput if this installation cannot be packed, OSError if the file cannot be written.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in sorted(_contents()):
            entry = zipfile.ZipInfo(name, _DATED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # POSIX, whatever system wrote it
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    size = os.path.getsize(path)
    if size > MOST_BYTES:
        raise BadInput(f"accel as one file has {size} bytes, more than the {MOST_BYTES} that are sent to nodes.")


def _contents() -> Iterator[tuple[str, bytes]]:
    try:
        own = metadata.distribution(_OWN)
    except metadata.PackageNotFoundError:
        raise BadInput(f"--copy packs an installed accel:  pip install {_OWN}") from None
    yield "__main__.py", _MAIN.encode()
    about = f"Metadata-Version: 2.1\nName: {_OWN}\nVersion: {own.version}\n"  # no requirement: all of it is in here
    yield f"accel_sdk-{own.version}.dist-info/METADATA", about.encode()
    yield f"accel_sdk-{own.version}.dist-info/entry_points.txt", (own.read_text("entry_points.txt") or "").encode()
    yield from _below(PACKAGE, "accel")
    plugins = {entry.module.partition(".")[0] for entry in own.entry_points if entry.group == "accel.plugins"}
    for module in (*sorted(plugins), *_NEEDED):
        found = util.find_spec(module)
        if found is None or found.origin is None:
            raise BadInput(f"--copy packs the module {module}, which is not installed here:  pip install {_OWN}")
        if found.submodule_search_locations:
            yield from _below(os.path.dirname(found.origin), module)
        else:
            yield os.path.basename(found.origin), _read(found.origin)


def _below(folder: str, name: str) -> Iterator[tuple[str, bytes]]:
    for where, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if one not in _LEFT_OUT]
        inside = os.path.relpath(where, folder).replace(os.sep, "/")
        for file in files:
            if not file.endswith(_COMPILED) and file not in _LEFT_OUT:
                yield f"{name}/{file}" if inside == "." else f"{name}/{inside}/{file}", _read(os.path.join(where, file))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
