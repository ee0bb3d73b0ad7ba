"""Whether the files of an environment match its metadata: missing, truncated, foreign, left over, shadowing.

Reads   <name>.dist-info/RECORD    torch/lib/libtorch_cpu.so,sha256=…,412345678
        the names of shared libraries, which include their Python: _C.cpython-311-x86_64-linux-gnu.so,
        _C.cp311-win_amd64.pyd
        <site>/*.pth               one path per line, or a line "import …" that is run
Source  packaging.python.org, "Recording installed projects"; PEP 3149; CPython's site module
Only distributions that concern accelerators are checked. conda splits its packages differently from their RECORDs.
"""

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.environment.distributions import Distribution, Installed, full_version
from accel.collect.environment.metadata import foreign_wheel, of_another_release, record_of, unwhole, without_metadata
from accel.collect.environment.requirements import Names
from accel.collect.environment.shadowing import SHADOWED, shadowing
from accel.machine.files import file_text
from accel.model.observation import Noted
from accel.specs import load
from accel.text.elf import object_kind, shared_object
from accel.text.pattern import pattern
from accel.text.versions import normalised

if TYPE_CHECKING:
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine

_LIBRARY: Final = pattern(r"\.(?:so(?:\.[\w.]+)?|pyd|dll|dylib)$", exact_case=True)
_TAG: Final = pattern(
    r"\.(?:cpython-(?P<so>\d{2,3})t?(?:-(?P<machine>\w+?)-linux)?|cp(?P<pyd>\d{2,3})-win)[\w-]*\.", exact_case=True
)
_SHARED_OBJECT: Final = pattern(r"\.so(?:\.[\w.]+)?$", exact_case=True)
_ELF_HEAD_BYTES: Final = 64
_NONE: Final = "is no library"
_IMPORT: Final = pattern(r"import[ \t]+([A-Za-z_]\w*)", exact_case=True)
_STATES_VERSION: Final = ("torch", "torchvision", "torchaudio", "numpy", "jaxlib", "transformers")  # as they are built


def damage(
    machine: "Machine", interpreter: "Interpreter", found: Installed, architecture: str | None
) -> tuple[Noted, ...]:
    """Return the notes about the files of an environment."""
    related = Names((load().table("frameworks/requirements") or {}).get("related", ()))
    free_threaded = any(re.search(r"python\d\.\d{1,3}t(?:/|$)", path) for path in interpreter.paths)
    notes: list[Noted] = []
    owners: dict[str, list[tuple[Distribution, int | None]]] = {}
    for one in found.distributions:
        if one.package.name in related:
            record = record_of(machine, one)
            files = _recorded(record or "", one)
            for path, size in files.items():
                owners.setdefault(f"{one.package.location}/{path}", []).append((one, size))
            notes += unwhole(machine, one, record)
            notes += _of_files(machine, one, files, owners)
            foreign = [*_foreign(one, files, interpreter.version, architecture)]
            tagged = foreign_wheel(machine, one, interpreter.version, architecture, free_threaded=free_threaded)
            notes += foreign or [*tagged] or [*_of_other_contents(machine, one, files, architecture)]
            notes += of_another_release(machine, one) if one.package.name in _STATES_VERSION else ()
    notes += _owned_twice(machine, owners)
    left = [*_left_over(found, related)]
    notes += left
    notes += without_metadata(machine, found, SHADOWED, {value for one in left for value in dict(one.values).values()})
    notes += shadowing(machine, found)
    notes += _broken_paths(machine, interpreter, found)
    return tuple(notes)


def _recorded(record: str, one: Distribution) -> dict[str, int | None]:
    """Return the recorded size of each shared library of a distribution, and of the __init__.py of its own module.

    nvidia/__init__.py is in many wheels: it disappears with the first one that is removed, which is harmless.
    """
    files: dict[str, int | None] = {}
    for line in record.split("\n"):
        path, _, rest = line.partition(",")
        if _LIBRARY.search(path) or (path.endswith("/__init__.py") and normalised(path[:-12]) == one.package.name):
            size = rest.rpartition(",")[2].strip()
            files[path] = int(size) if size.isdecimal() and len(size) < 16 else None
    return files


def _of_files(
    machine: "Machine",
    one: Distribution,
    files: Mapping[str, int | None],
    owners: Mapping[str, Sequence[tuple[Distribution, int | None]]],
) -> Iterator[Noted]:
    """Yield a note for each file that is missing or truncated. A file that is only smaller may have been stripped."""
    site = one.package.location
    lost = [(path, machine.size_bytes(f"{site}/{path}"), size) for path, size in files.items()]
    lost = [(path, has, size) for path, has, size in lost if has is None or (size is not None and has < size)]
    if not lost or (file_text(machine, f"{one.metadata}/INSTALLER") or "pip") == "conda":
        return
    for path, has, size in lost:
        if has is None:
            if not machine.exists(f"{site}/{path}"):
                yield _noted("package-file-missing", f"{site}/{path} is recorded and not there", one, path)
        elif len(owners[f"{site}/{path}"]) == 1 and _is_cut(machine, f"{site}/{path}", has):
            said = f"{site}/{path} has {has} bytes of {size}: it was cut short"
            yield _noted("package-file-cut", said, one, path, has=str(has), wants=str(size))


def _is_cut(machine: "Machine", path: str, size: int) -> bool:
    """Return whether an object ends before the sections in its header; an empty text file was truncated, too."""
    if size == 0:
        return True
    try:
        it = shared_object(lambda offset, count: machine.read_bytes(path, offset, count))
        is_object = machine.read_bytes(path, 0, 4) == b"\x7fELF"
    except OSError:
        return False
    return it.least_bytes > size if it is not None else is_object


def _of_other_contents(
    machine: "Machine", one: Distribution, files: Mapping[str, int | None], architecture: str | None
) -> Iterator[Noted]:
    """Yield a note for the first library that is for another machine or system, or that is not a library at all.

    A text of the recorded size was shipped that way: it is a linker script.
    """
    if machine.system != "linux":
        return
    for path, size in files.items():
        if not _SHARED_OBJECT.search(path):
            continue
        try:
            head = machine.read_bytes(f"{one.package.location}/{path}", 0, _ELF_HEAD_BYTES)
        except OSError:
            continue
        kind = object_kind(head)
        if kind is None and not head.strip(b"\0") and len(head) == _ELF_HEAD_BYTES:
            said = "contains only zeros"
        elif kind is None and head and size != machine.size_bytes(f"{one.package.location}/{path}"):
            said = "is not a library: it is a git lfs pointer" if head.startswith(b"version https://git-lfs") else _NONE
        elif kind is not None and kind not in (architecture, "linux") and architecture is not None:
            other = f"{kind}, and this machine is {architecture}"
            yield _noted(
                "package-file-foreign", f"{one.package.location}/{path} was built for {other}", one, path, other=other
            )
            return
        else:
            continue
        yield _noted("package-file-replaced", f"{one.package.location}/{path} {said}", one, path, state=said)
        return


def _foreign(
    one: Distribution, files: Mapping[str, int | None], python: str, architecture: str | None
) -> Iterator[Noted]:
    """Yield a note if all modules with a Python in their name are for another Python, or for another machine."""
    mine = "".join(python.split(".")[:2])
    tags = [tag for path in files if (tag := _TAG.search(posixpath.basename(path)))]
    pythons = {tag["so"] or tag["pyd"] for tag in tags}
    machines = {tag["machine"] for tag in tags if tag["machine"]}
    if pythons and mine not in pythons:
        other = sorted(pythons)[0]
        said = f"Python {other[0]}.{other[1:]}, and this is Python {python}"
    elif machines and architecture and architecture not in machines and machines <= {"x86_64", "aarch64", "arm64"}:
        said = f"{sorted(machines)[0]}, and this machine is {architecture}"
    else:
        return
    path = next(path for path in files if _TAG.search(posixpath.basename(path)))
    yield _noted("package-file-foreign", f"{one.package.location}/{path} was built for {said}", one, path, other=said)


def _owned_twice(
    machine: "Machine", owners: Mapping[str, Sequence[tuple[Distribution, int | None]]]
) -> Iterator[Noted]:
    """Yield a note for each pair of distributions where the later one overwrote libraries of the other."""
    told: set[tuple[str, ...]] = set()
    for path, several in owners.items():
        names = tuple(sorted({one.package.name for one, _ in several}))
        if len(names) < 2 or names in told or not _LIBRARY.search(path) or len({size for _, size in several}) == 1:
            continue
        told.add(names)
        has = machine.size_bytes(path)
        owner = next((one for one, size in several if size is not None and size == has), None)
        said = f"{path} belongs to {' and '.join(f'{o.package.name} {o.package.version}' for o, _ in several)}"
        if owner is not None:
            said += f"; the file is that of {owner.package.name}"
        yield Noted(
            fact="library-owned-twice",
            text=said,
            values=(
                ("path", path),
                ("packages", " ".join(names)),
                *((("owner", owner.package.name),) if owner is not None else ()),
            ),
            source="environment",
            grade="measured",
        )


def _left_over(found: Installed, related: Names) -> Iterator[Noted]:
    """Yield a note for "~orch", pip's name for what it could not remove; it ends like a package that is or was here."""
    have = {one.package.name for one in found.distributions}
    for site, names in found.names.items():
        rest = [name for name in names if name.startswith("~") and not name.endswith((".dist-info", ".egg-info"))]
        for name in rest:
            whole = next((n for n in (*SHADOWED, *have) if n[1:] == name[1:].replace("_", "-") and n in related), None)
            if whole is None:
                continue
            yield Noted(
                fact="installation-left-over",
                text=f"{site}/{name} was left by an interrupted installation of {whole}",
                values=(
                    ("package", whole),
                    ("path", f"{site}/{name}"),
                    *((("installed", "yes"),) if whole in have else ()),
                ),
                source="environment",
                grade="measured",
            )


def _broken_paths(machine: "Machine", interpreter: "Interpreter", found: Installed) -> Iterator[Noted]:
    """Yield a note for a .pth file whose first import cannot succeed, or that points to a missing folder."""
    importable = {
        entry.partition(".")[0]
        for names in found.names.values()
        for entry in names
        if "." not in entry or entry.endswith((".py", ".pyc", ".so", ".pyd"))
    }
    prefix = interpreter.prefix.rstrip("/")
    for site, names in found.names.items():
        if not site.startswith(f"{prefix}/"):
            continue
        for name in names:
            if name.endswith(".egg-link"):
                yield from _egg_link(machine, f"{site}/{name}")
            if not name.endswith(".pth"):
                continue
            for line in (file_text(machine, f"{site}/{name}") or "").splitlines():
                line = line.strip()
                wanted = _IMPORT.match(line)
                if wanted and wanted[1] not in importable and wanted[1] not in sys.stdlib_module_names:
                    said = f"{site}/{name} imports {wanted[1]}, which does not exist"
                elif name.startswith("__editable__") and line.startswith("/") and not machine.exists(line):
                    said = f"{site}/{name} leads to {line}, which is gone"
                else:
                    continue
                yield Noted(
                    fact="site-path-broken",
                    text=said,
                    values=(("path", f"{site}/{name}"), ("name", wanted[1] if wanted else line)),
                    source="environment",
                    grade="measured",
                )
                break


def _egg_link(machine: "Machine", path: str) -> Iterator[Noted]:
    """Yield a note if a setuptools development install points to a missing folder: its first line names it."""
    folder = (file_text(machine, path) or "").partition("\n")[0].strip()
    if folder.startswith("/") and not machine.exists(folder):
        yield Noted(
            fact="site-path-broken",
            text=f"{path} leads to {folder}, which is gone",
            values=(("path", path), ("name", folder)),
            source="environment",
            grade="measured",
        )


def _noted(fact: str, text: str, one: Distribution, path: str, **more: str) -> Noted:
    return Noted(
        fact=fact,
        text=text,
        values=(
            ("package", one.package.name),
            ("version", full_version(one.package)),
            ("path", f"{one.package.location}/{path}"),
            *more.items(),
        ),
        source="environment",
        grade="measured",
    )
