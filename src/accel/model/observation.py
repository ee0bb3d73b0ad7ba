"""What readers recognise in texts and on live machines, each with its place; and the facts inferred from that.

    Observation          text (quoted), source, line to last_line, scope, device, grade
    ├── ErrorSeen        an error of a known domain, by number, name or sentence
    ├── Conflict         a component has one version, and another is wanted
    ├── Missing          a library, symbol, module, command, file … that is missing
    ├── Raised           an exception, with the files in its traceback
    ├── Command          a command that somebody ran, or was told to run, and its result
    ├── Limit            a limit of a process or host, with its value
    ├── Offered          what a package index offers for a requested package
    ├── Installed        a package that an installer installed, found or removed
    ├── Product          a device named in prose
    ├── Experiment       something that was tried, and whether it then worked
    ├── Complaint        a line that looks like an error, whatever it means
    └── Noted            what the reader of one format recognised, under the name of the resulting fact

`kind` distinguishes the classes in a saved snapshot.
"""

from collections.abc import Callable
from typing import Any, Literal, Protocol

from accel.model.dataclass import dataclass
from accel.model.grade import Grade, Scope, Status

Piece = Literal[
    "library",
    "system-package",
    "symbol",
    "module",
    "attribute",
    "command",
    "file",
    "node",
    "header",
    "version",
    "package",
    "kernel-module",
    "loaded-module",
]
Outcome = Literal["works", "fails"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Something recognised, and where.

    text       the recognised text with whitespace collapsed, at most 1000 characters
    source     the text's reader, or the live command or call
    line, last_line   in the text, from 1; None for live observations
    device     the id of a device, if the text names one by index
    status     whether it holds now
    why        the words of the text that say it does not
    doubt      used while a text is read: what this would be if something else in the text confirms it
    """

    text: str
    source: str | None = None
    line: int | None = None
    last_line: int | None = None
    scope: Scope | None = None
    device: str | None = None
    grade: Grade = "printed"
    status: Status = "present"
    why: str | None = None
    doubt: Status | None = None


def whole_number(text: str | None) -> int | None:
    """Return a value as a whole number of at most 20 digits; None for any other text.

    Readers write only digits, but a saved snapshot may contain anything.
    """
    if type(text) is not str and text is not None:
        traced: int | None = _traced(text, whole_number)
        return traced
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 20 else None


def decimal_number(text: str | None) -> float | None:
    """Return the number that a value states in decimals; None for any other text."""
    if type(text) is not str and text is not None:
        traced: float | None = _traced(text, decimal_number)
        return traced
    try:
        return float(text or "")
    except ValueError:
        return None


def _traced(text: Any, convert: Callable[[str | None], float | None]) -> Any:
    """Return the number of a text that notes what is asked of it (accel.fleet.traced), as one that does so, too."""
    return text.number_by(convert)


class Placed(Protocol):
    """A part of a text, from one line to a last line, which may be None."""

    @property
    def line(self) -> int | None: ...

    @property
    def last_line(self) -> int | None: ...


def share_a_line(one: Placed, other: Placed) -> bool:
    """Return whether two parts of a text overlap. Line numbers of a saved snapshot may be anything."""
    if one.line is None or other.line is None:
        return False
    return one.line <= (other.last_line or other.line) and other.line <= (one.last_line or one.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSeen(Observation):
    """An error from a table in specs/<domain>/errors: "cuda" and "802". call: the function that returned it."""

    domain: str
    code: str
    call: str | None = None
    kind: Literal["error"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Observation):
    """A component is present in one version, but another is wanted.

    component  its name in specs/*/components: "cudnn"; if it is none of them, as printed, in lower case
    has, wants versions, or bounds such as ">=2.1,<3"; None if the sentence only says that they differ
    by         the component that wants it
    by_version the version of that component
    relation   how what is present relates to what is wanted: compared if both are known, otherwise as the sentence says
    """

    component: str
    has: str | None = None
    wants: str | None = None
    by: str | None = None
    by_version: str | None = None
    relation: Literal["older", "newer", "other"] = "other"
    kind: Literal["conflict"] = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing(Observation):
    """Something is not found where it is looked for, or cannot be used.

    piece      "node" is a file in /dev, "version" a symbol version of a library, "module" a Python module,
               "loaded-module" a kernel module that may exist but is not loaded, "package" one of Python,
               "system-package" one that the system's installer does not find
    name       as printed: "libcudnn.so.9", "GLIBC_2.27", "_ZN3c104cuda9SetDeviceEi"; "*.dll" if it is not named
    component  what it belongs to, by its name in specs/*/components; None if unknown
    wanted_by  the file, module or program that needs it; by_component: what that belongs to
    inside     for a symbol or attribute: the library or module that lacks it
    """

    piece: Piece
    name: str
    component: str | None = None
    wanted_by: str | None = None
    by_component: str | None = None
    inside: str | None = None
    kind: Literal["missing"] = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One line of a traceback. module: as imported, below site-packages ("torch_npu"); None for a user's own file."""

    file: str
    function: str | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised(Observation):
    """An exception. frames: outermost first; () if only its last line is in the text."""

    exception: str
    message: str = ""
    frames: tuple[Frame, ...] = ()
    kind: Literal["raised"] = "raised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Observation):
    """A command line.

    tool       the program: "docker", "pip", "nvidia-smi"
    verb       its subcommand ("run"), or ""
    options    as written, in order; an option's separate value is joined to it with "="
    operands   the rest: an image, requirements, a program with its arguments
    variables  NAME=value written before it
    answer     the first line printed after it
    advice     somebody was told to run it; nothing says that it was run
    """

    tool: str
    verb: str = ""
    options: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    advice: bool = False
    kind: Literal["command"] = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Observation):
    """A limit of a process, container or host. value None: unlimited.

    resource  open_files, processes, pids, memlock_bytes, stack_bytes, address_space_bytes, memory_bytes, shm_bytes,
              millicpus (1000 per CPU)
    """

    resource: str
    value: int | None = None
    kind: Literal["limit"] = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Observation):
    """What an installer replied to a requirement that it could not meet.

    package   normalised name of the distribution
    wants     the version or bounds requested; None if any would do
    versions  what the index has instead; () if nothing at all; None if the text does not list it
    reason    what is missing: wheels for this Python, wheels for this platform, the version, or the whole package; None
              if the text does not say
    tags      the Python or platform tags that have wheels
    index     address of the index
    by        what requires the package
    """

    package: str
    wants: str | None = None
    versions: tuple[str, ...] | None = None
    reason: Literal["python", "platform", "version", "package"] | None = None
    tags: tuple[str, ...] = ()
    index: str | None = None
    by: str | None = None
    kind: Literal["offered"] = "offered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed(Observation):
    """A step of an installer, which installed, found or removed a distribution."""

    package: str
    version: str | None = None
    removed: bool = False
    kind: Literal["installed"] = "installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Observation):
    """A device named in prose.

    vendor  the vendor's folder in the spec database: "nvidia"
    name    the record's name in the spec database; as printed if it may be several; None if only the vendor is named
    count   how many the text counts
    index   the index that the text gives it
    stated  a label, a count, a parts list or a line of its own says that it is present; otherwise only the surrounding
            prose does
    """

    vendor: str
    name: str | None = None
    count: int = 1
    index: int | None = None
    stated: bool = False
    kind: Literal["product"] = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(Observation):
    """Something that was tried, with or without a change or after one, and whether it then worked."""

    condition: str
    relation: Literal["with", "without", "after"] = "with"
    outcome: Outcome = "works"
    kind: Literal["experiment"] = "experiment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint(Observation):
    """A line that looks like an error. form: what makes it look like one; certain: it cannot be anything else."""

    form: Literal["exception", "level", "kernel", "signal", "status", "words", "hang"]
    certain: bool = True
    kind: Literal["complaint"] = "complaint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Observation):
    """What the reader of one format, or a sentence from a table, recognised, under the name of the resulting fact."""

    fact: str
    values: tuple[tuple[str, str], ...] = ()
    kind: Literal["noted"] = "noted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that is true of the machine, inferred from what was seen.

    name    from the inference tables (specs/*/inference) or a rule
    values  further details, by name
    """

    name: str
    text: str
    values: tuple[tuple[str, str], ...] = ()
    grade: Grade = "printed"
    source: str | None = None
    line: int | None = None
    last_line: int | None = None
    scope: Scope | None = None
    device: str | None = None
    status: Status = "present"

    def __hash__(self) -> int:
        """Facts of one name and place are compared by all that they carry; a traced text is not hashed."""
        return hash((self.name, self.text if type(self.text) is str else None, self.line, self.device))

    def value(self, key: str) -> str | None:
        """Return one of `values`; None if the fact does not have it."""
        return dict(self.values).get(key)

    def number(self, key: str) -> int | None:
        """Return one of `values` as a whole number; None if the fact does not have it, or it is not one."""
        return whole_number(self.value(key))

    def decimal(self, key: str) -> float | None:
        """Return one of `values` as a number, such as "97.56"; None if the fact carries none."""
        return decimal_number(self.value(key))
