"""A plugin's folder of recordings: its machines, its texts, and the expected results of each.

<folder>/<machine>/machine.yaml, files/, expected.yaml     format: see accel.machine.recorded.RecordedMachine
<folder>/<machine>/specs/<vendor>/chips/*.yaml             records added by the machine's owner, as with ACCEL_SPECS
<folder>/<machine>/expected-acme.yaml                      expected results of one plugin, if several use the machine
<folder>/texts/<name>.txt, <name>.expected.yaml            the output of a tool
"""

from collections.abc import Mapping
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path

from accel.kit.expected import Expected, read_expected
from accel.kit.subject import OWN_DISTRIBUTION, Subject
from accel.model.dataclass import dataclass
from accel.model.errors import AccelError, BadInput

TEXTS = "texts"
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Recordings:
    """machines: folder by name. unusable: one sentence for each unusable recording."""

    folder: str | None = None
    machines: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Expected] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    texts_expected: Mapping[str, Expected] = field(default_factory=dict)
    unusable: tuple[str, ...] = ()


def read_recordings(folder: str | None, plugin: str) -> Recordings:
    """Return the folder's recordings for this plugin; none if folder is None. Raises BadInput if it does not exist."""
    if folder is None:
        return Recordings()
    root = Path(folder)
    if not root.is_dir():
        raise BadInput(f"{folder}: no such folder. Give one that holds a folder for each recorded machine.")
    machines, expected, unusable = {}, {}, []
    for path in sorted(root.iterdir()):
        if (
            not path.is_dir()
            or path.name == TEXTS
            or not ((path / "machine.yaml").exists() or (path / "files").is_dir())
        ):
            continue
        mistake = _mistake(path)
        if mistake:
            unusable.append(mistake)
            continue
        machines[path.name] = str(path.resolve())
        said = read_expected(path / f"expected-{plugin}.yaml") or read_expected(path / "expected.yaml")
        if said is not None:
            expected[path.name] = said
    texts, texts_expected = {}, {}
    for path in sorted((root / TEXTS).glob("*.txt")):
        texts[path.stem] = path.read_text(encoding="utf-8", errors="replace")[:_LONGEST]
        said = read_expected(path.with_name(f"{path.stem}.expected.yaml"))
        if said is not None:
            texts_expected[path.stem] = said
    return Recordings(
        folder=str(root.resolve()),
        machines=machines,
        expected=expected,
        texts=texts,
        texts_expected=texts_expected,
        unusable=tuple(unusable),
    )


def checkout_recordings(subject: Subject) -> str | None:
    """Return the recordings folder of one of accel's own plugins in a source checkout; None elsewhere.

    It is next to the package; a wheel does not include it.
    """
    if subject.distribution != OWN_DISTRIBUTION:
        return None
    try:
        found = find_spec(subject.module)
    except (ImportError, ValueError):
        return None
    if found is None or not found.origin:
        return None
    folder = Path(found.origin).parent.parent / "tests" / "machines"
    return str(folder) if folder.is_dir() else None


def commands_of(machine: str) -> Mapping[str, str]:
    """Return the output of a machine's recorded commands by command line: readers are tried on these too."""
    import yaml

    from accel.machine.recorded import parse_yaml

    try:
        recorded = parse_yaml((Path(machine) / "machine.yaml").read_text(encoding="utf-8")) or {}
    except (OSError, yaml.YAMLError):
        return {}
    found = {}
    for command in recorded.get("commands", ()):
        text = command.get("stdout", "")
        if "stdout_file" in command:
            try:
                text = (Path(machine) / command["stdout_file"]).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
        if text:
            found[" ".join(str(word) for word in command.get("argv", ()))] = str(text)[:_LONGEST]
    return found


def _mistake(path: Path) -> str | None:
    from accel.machine.recorded import RecordedMachine

    try:
        RecordedMachine(path)
    except AccelError as error:
        return str(error)
    except Exception as error:  # keys whose values have the wrong type
        return f"{path}: cannot be used: {type(error).__name__}: {error}"
    return None
