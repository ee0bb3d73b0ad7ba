"""Where a remedy's commands will be typed, as far as that affects how they are written and who may run them. Pure.

In[3]: !pip install torch          a notebook: %pip install, %env NAME=VALUE, then a new kernel
sbatch train.sh                    a job on a cluster, whose users are rarely root
I have no sudo rights              a user who is not root
$ docker run … / Dockerfile        an image, which keeps what its Dockerfile installs, unlike its container
python_embeded\\python.exe          a portable Python: the pip on PATH belongs to another one

The class of an environment is the fact environment-class, see specs/system/inference/environments.yaml; there may be
several.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import ENVIRONMENT, in_container
from accel.facts.query import holds
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.observation import Command, Raised
from accel.remedies.containers import starter_of
from accel.remedies.projects import project_of
from accel.resolver.installer import Pip, pip_of
from accel.resolver.programs import own_pip, place_of_pip
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.segments import is_prompted

if TYPE_CHECKING:
    from accel.text.assignments import Shell

IN_JOB: Final = ("batch-job", "slurm-gave-no-gpu")
_OF_CLUSTER: Final = frozenset(
    ("environment-modules", "cluster")
)  # whose administrators install what `module load` offers
NO_ROOT: Final = "no-root-said"
NO_INDEX: Final = "no-way-out-said"
IN_NOTEBOOK: Final = "notebook-said"
RENTED: Final = "machine-rented"
_CELL: Final = pattern(r"^\s{0,20}(?:(?:In|Cell In) ?\[\d{0,5}\]:?\s{0,4})?(?:!\s?|%)(?=[A-Za-z])", exact_case=True)
_OF_KERNEL: Final = pattern(r"ipykernel_|<ipython-input-|/ipykernel/", exact_case=True)
_AS_ROOT: Final = pattern(r"\broot@|(?:^|[\s$;&|(])sudo\s|^\s{0,8}#\s", exact_case=True)
_WINDOWS: Final = pattern(r"(?<![\w-])Windows(?![\w-])", exact_case=True)
_POWERSHELL: Final = pattern(r"\bPS (?:[A-Z]:\\|/)[^>\n]{0,200}>|^PS> |\$env:[A-Za-z_]\w*\s?=", exact_case=True)
_BUILT: Final = ("docker", "podman", "nerdctl", "compose", "kubernetes")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What is known about where the commands will be typed; each answer is computed when first needed.

    powershell  the shell on Windows; None: as the text shows
    """

    facts: Facts
    specs: Specs
    powershell: bool | None = None

    @cached_property
    def pip(self) -> Pip:
        """How the user calls pip."""
        called = pip_of(self.facts)
        if called != Pip():
            return called
        own = own_pip(self.facts, self.specs)
        if own is not None and (self.notebook or (own.startswith("/") and in_container(self.facts))):
            own = None  # there it is the kernel's, or the one on the path
        own = own or next((row["pip"] for row in self.rows if "pip" in row), None)
        return Pip(own) if own is not None else called

    @cached_property
    def place(self) -> str | None:
        """Where commands of its own Python have to be typed: "in the folder NAME"; None: anywhere."""
        return place_of_pip(self.facts, self.specs)

    @cached_property
    def project(self) -> str | None:
        """The tool that records the project's packages: uv, poetry, pixi."""
        return project_of(self.facts)

    @cached_property
    def classes(self) -> frozenset[str]:
        """The classes of environments that the text or machine shows."""
        stated = {fact.value("class") for fact in self.facts.stated(ENVIRONMENT)}
        host, inside = self.facts.host, in_container(self.facts)
        on_windows = host.system == "windows" or (host.system is None and "windows" in stated)
        known = {"windows": on_windows, "wsl": bool(host.wsl), "container": inside}
        by_host = (
            row["class"] for row in self._table if "when" in row and all(known[k] == v for k, v in row["when"].items())
        )
        by_facts = (row["class"] for row in self._table if "known_by" in row and holds(row["known_by"], self.facts))
        return frozenset(name for name in (*stated, *by_host, *by_facts) if name is not None)

    @cached_property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """The rows of the tables for these classes."""
        named = (row for row in self._table if row["class"] in self.classes)
        return tuple(row for row in named if "but" not in row or not holds(row["but"], self.facts))

    @property
    def _table(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = (self.specs.table("language/environments") or {}).get("environments", ())
        return found

    @cached_property
    def provider(self) -> Mapping[str, Any] | None:
        """The row of the provider who rents out the machine; None if there is none, or it is unknown."""
        fact = self.facts.first(RENTED)
        if fact is None or self.facts.live:
            return None
        table: Mapping[str, Any] = self.specs.table("language/providers") or {}
        return next((row for row in table.get("providers", ()) if row["name"] == fact.value("provider")), None)

    @cached_property
    def notebook(self) -> bool:
        """Whether it runs in a notebook's kernel: cells show it, or the provider has nothing else and no prompt."""
        return in_notebook(self.facts) or (bool((self.provider or {}).get("notebook")) and not self._in_terminal)

    @property
    def _in_terminal(self) -> bool:
        """Whether commands are typed at a shell's prompt, which a provider's notebooks have as well."""
        typed = (one for one in self.facts.snapshot.observations if isinstance(one, Command) and not one.advice)
        return any("@" in one.text.partition("$")[0] and is_prompted(one.text) for one in typed)

    @cached_property
    def root(self) -> bool | None:
        """Whether the reader has root rights; None if unknown."""
        if self.facts.live:
            return None
        if self.facts.stated(NO_ROOT):
            return False
        typed = (one for one in self.facts.snapshot.observations if isinstance(one, Command) and not one.advice)
        if any(_AS_ROOT.search(one.text) for one in typed):
            return True
        return False if self.in_cluster else None

    @property
    def in_cluster(self) -> bool:
        """Whether the machine belongs to a cluster that others administer."""
        return self.facts.states(IN_JOB) or bool(_OF_CLUSTER & self.classes)

    @cached_property
    def image(self) -> bool:
        """Whether what failed runs in a container that the text starts from an image, which can thus be changed."""
        return not self.facts.live and in_container(self.facts) and starter_of(self.facts, self.specs) in _BUILT

    @cached_property
    def offline(self) -> bool:
        """Whether the machine cannot reach a package index, according to its writer or its installer's output."""
        return not self.facts.live and bool(self.facts.stated(NO_INDEX))

    @cached_property
    def on_windows(self) -> bool:
        """Whether commands are typed in Windows itself, not in WSL."""
        host = self.facts.host
        return not host.wsl and (host.system == "windows" or (host.system is None and self._said_to_be_windows))

    @property
    def _said_to_be_windows(self) -> bool:
        """Whether only the text's words name Windows, and nothing in it belongs to another system."""
        if "portable-python" in self.classes:
            return True
        facts = self.facts
        said = any(_WINDOWS.search(one.text) for one in facts.snapshot.observations)
        others = "linux" in self.classes or facts.host.libc is not None or in_container(facts)
        words: Sequence[str] = (self.specs.table("language/environments") or {}).get("not_windows_alone", ())
        return said and not others and not facts.mentions(*words)

    @cached_property
    def shell(self) -> "Shell":
        """The shell in which commands are typed; "bash" for any POSIX shell."""
        said = "powershell" if self._typed_in_powershell else None
        said = said or next((fact.value("shell") for fact in self.facts.stated("shell-said")), None)
        if self.on_windows and self.powershell is not None:
            return "powershell" if self.powershell else "cmd"
        if said == "powershell":
            return "powershell"
        if self.on_windows:
            return "bash" if said == "bash" else "cmd"
        return "fish" if said == "fish" else "bash"

    @property
    def _typed_in_powershell(self) -> bool:
        return any(_POWERSHELL.search(one.text) for one in self.facts.snapshot.observations)


def environment_of(facts: Facts, specs: Specs, powershell: bool | None = None) -> Environment:
    """Return where commands will be typed, cached with the facts."""
    key = ("environment", id(specs), powershell)
    return facts.cached(key, lambda: Environment(facts=facts, specs=specs, powershell=powershell))


def in_notebook(facts: Facts) -> bool:
    """Return whether the program runs in a notebook's kernel: cells start with ! or %, or its frames are a kernel's."""
    if facts.live:
        return False
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice and _CELL.search(one.text):
            return True
        if isinstance(one, Raised) and any(_OF_KERNEL.search(frame.file) for frame in one.frames):
            return True
    return bool(facts.stated(IN_NOTEBOOK))
