"""What readers recognise in texts and on live machines, each with its place; and the facts inferred from them.

    Observation          text (quoted), source, line to last_line, scope, device, grade
    ├── ErrorSeen        an error of a known domain, by number, name or sentence
    ├── Conflict         a component has one version, and another is wanted
    ├── Missing          a library, symbol, module, command, file … that is not there
    ├── Raised           an exception, with the files that its traceback names
    ├── Command          a command that somebody ran, or was told to run, and what came of it
    ├── Limit            a limit of a process or a host, with its value
    ├── Offered          what a package index has of a package that was asked for
    ├── Installed        a package that an installer put there, found or removed
    ├── Product          a device that prose names
    ├── Experiment       what somebody tried, and whether it then worked
    ├── Complaint        a line that looks like an error, whatever it means
    └── Noted            what one format's reader recognised, under the name of the fact that it is

`kind` tells the classes apart in a saved snapshot.
"""

from typing import Literal, Protocol

from accel.model.dataclass import dataclass
from accel.model.grade import Grade, Scope, Status

Piece = Literal[
    "library",
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
    """Something recognised, where it stands.

    text       what stands there, with single blanks, at most 1000 characters
    source     the text's reader, or the live command or call
    line, last_line   in the text, from 1; None for live observations
    device     the id of a device, where the text names one by index
    status     whether it holds now; why: what of the text says that it does not
    doubt      while a text is read: what it would be if something else in the text agrees
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
    """Return the number that a value states in at most 20 digits; None for any other text.

    Readers write digits alone, and a saved snapshot may state anything.
    """
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= 20 else None


class Placed(Protocol):
    """A part of a text, from a line to a last line, which may be None."""

    @property
    def line(self) -> int | None: ...

    @property
    def last_line(self) -> int | None: ...


def share_a_line(one: Placed, other: Placed) -> bool:
    """Say whether two things share a line. Line numbers of a saved snapshot may be anything."""
    if one.line is None or other.line is None:
        return False
    return one.line <= (other.last_line or other.line) and other.line <= (one.last_line or one.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSeen(Observation):
    """An error of a table, specs/<domain>/errors: "cuda" and "802". call: the function that returned it."""

    domain: str
    code: str
    call: str | None = None
    kind: Literal["error"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Observation):
    """A component is there in one version and wanted in another.

    component  by its name in specs/*/components: "cudnn"; as printed, lower case, if it is none of them
    has, wants versions, or bounds such as ">=2.1,<3"; None where the sentence tells only that they differ
    by         who wants it, likewise; by_version: its version
    relation   of what is there to what is wanted: compared where both are known, else as the sentence says
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
    """Something is not where it is looked for, or cannot be used.

    piece      "node" is a file below /dev, "version" one of a library's symbol versions, "module" one of Python's,
               "loaded-module" a kernel module that may be there and is not loaded
    name       as printed: "libcudnn.so.9", "GLIBC_2.27", "_ZN3c104cuda9SetDeviceEi"; "*.dll" of one that is not named
    component  what it belongs to, by its name in specs/*/components; None if that is not known
    wanted_by  the file, module or program that wants it; by_component what that belongs to
    inside     of a symbol or attribute: the library or module that lacks it
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
    """One line of a traceback. module: the importable name below site-packages ("torch_npu"); None for own files."""

    file: str
    function: str | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised(Observation):
    """An exception. frames: outermost first; () if only its last line is there."""

    exception: str
    message: str = ""
    frames: tuple[Frame, ...] = ()
    kind: Literal["raised"] = "raised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Observation):
    """A command line.

    tool       the program: "docker", "pip", "nvidia-smi"; verb its subcommand ("run") or ""
    options    as written, in order; a value that follows an option is joined by "="
    operands   the rest: an image, requirements, a program with its arguments
    variables  NAME=value written before it
    answer     the first line that was printed after it
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
    """A limit of a process, a container or the host. value None: unlimited.

    resource  open_files, processes, pids, memlock_bytes, stack_bytes, address_space_bytes, memory_bytes, shm_bytes,
              millicpus (1000 a CPU)
    """

    resource: str
    value: int | None = None
    kind: Literal["limit"] = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Observation):
    """What an installer answered to a requirement that it could not meet.

    package   the distribution, normalised; wants: the version or bounds asked for, None if any would do
    versions  what the index has instead; () if nothing at all; None if the text does not list it
    reason    what it lacks: wheels for this Python, wheels for this platform, the version, the package altogether;
              None if the text does not say
    tags      the Python or platform tags for which there are wheels
    index     the address of the index that was asked; by: who wants the package
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
    """A step of an installer: it put a distribution there, found it there, or removed it."""

    package: str
    version: str | None = None
    removed: bool = False
    kind: Literal["installed"] = "installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Observation):
    """A device that prose names.

    vendor  the folder of the spec database: "nvidia"
    name    the record's in the spec database, as printed where it may be several; None where only the vendor is named
    count   how many the text counts; index: the number that the text gives it
    stated  a label, a count, a list of parts or a line of its own says that it is there; else the prose around it
    """

    vendor: str
    name: str | None = None
    count: int = 1
    index: int | None = None
    stated: bool = False
    kind: Literal["product"] = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(Observation):
    """What somebody tried: with or without something, after something. It then worked, or it did not."""

    condition: str
    relation: Literal["with", "without", "after"] = "with"
    outcome: Outcome = "works"
    kind: Literal["experiment"] = "experiment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint(Observation):
    """A line that looks like an error. form: by what it looks so; certain: nobody would take it for anything else."""

    form: Literal["exception", "level", "kernel", "signal", "status", "words", "hang"]
    certain: bool = True
    kind: Literal["complaint"] = "complaint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Observation):
    """What the reader of one format or a sentence of a table says, under the name of the fact that it is."""

    fact: str
    values: tuple[tuple[str, str], ...] = ()
    kind: Literal["noted"] = "noted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that holds of the machine, as inferred from what was seen.

    name    from the tables of inference (specs/*/inference) or a rule
    values  what it carries, by name
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

    def value(self, key: str) -> str | None:
        """Return one of `values`; None if the fact does not carry it."""
        return dict(self.values).get(key)

    def number(self, key: str) -> int | None:
        """Return one of `values` as a whole number; None if the fact does not carry it, or carries another text."""
        return whole_number(self.value(key))
