"""What the resolver works with and what it answers."""

from accel.model.dataclass import dataclass

RESOLUTION_SCHEMA = "accel.resolution/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One build of one release of a package.

    family         the group of builds that it belongs to: "cuda", "cpu"
    driver_floor   the oldest driver as the package's own table has it, in its platform's numbers; None: its toolkit's
    architectures  GPU code in it: ("sm_80", "compute_90"), ("gfx90a",); None: not known
    linux_tag      the wheel's platform tag: "manylinux_2_28_x86_64"; None: not known
    pythons        Pythons that have a wheel; None: see python_bound
    python_bound   a requirement on the Python: ">=3.12"
    default        a plain install gets it on its platform
    preferred      its release's default on any platform
    base_version   the framework's version that it is made for, if it extends one ("torch-npu" extends torch)
    local          whether the variant is a local part of its version
    stack          the vendor's software that it was made with, where its driver does not tell it: CANN "8.0.0"
    """

    package: str
    version: str
    variant: str
    platform: str
    family: str
    toolkit_version: str | None = None
    driver_floor: str | None = None
    architectures: tuple[str, ...] | None = None
    linux_tag: str | None = None
    pythons: tuple[str, ...] | None = None
    python_bound: str | None = None
    default: bool = False
    preferred: bool = False
    base_version: str | None = None
    stack: str | None = None
    release_companions: tuple[tuple[str, str], ...] = ()
    local: bool = False

    @property
    def label(self) -> str:
        """The release and the build, as people write them: "2.14.1+cu126", "0.12.0 (cuda13)", "2.9.0.post2"."""
        if self.base_version is not None:
            return self.version
        return f"{self.version}+{self.variant}" if self.local else f"{self.version} ({self.variant})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A package to install. variant None: the package has no variants of its own."""

    package: str
    version: str
    variant: str | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseWheel:
    """How an installer gets a wheel that a project publishes with its releases, and not on the package index.

    tag    the wheel's platform tag: "manylinux_2_28_x86_64"
    index  of packages, where the version has the variant as its local part; None: it has to be named by its address
    file   the wheel's address, for a release that has no index
    """

    tag: str
    index: str | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A candidate that was not taken. rule: its name in rules.py; because: the figures that were compared.

    variant None: every build of this release, or the package has no variants.
    """

    package: str
    version: str
    variant: str | None = None
    rule: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What would make something fit, or something newer. command: what installs it then; None: no line does."""

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The answer. chosen is empty, and command None, if nothing fits.

    fitting   what fits of several things asked for, where others do not: `changes` has its command
    reason    why nothing fits: of the builds that the fewest rules reject the one that asks for least, and its rule
    rejected  what was preferred to the chosen and does not fit, the newest first
    upgrade   what would make something fit, or something newer; () if nothing is known to
    changes   the same with the command that installs it then
    assumed   what was not known of the machine and how it was taken
    assumption  the same in one sentence, with the command that shows what is so; None where nothing was assumed
    """

    schema: str = RESOLUTION_SCHEMA
    machine: str
    chosen: tuple[Chosen, ...] = ()
    fitting: tuple[Chosen, ...] = ()
    reason: Rejected | None = None
    rejected: tuple[Rejected, ...] = ()
    command: str | None = None
    upgrade: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    assumption: str | None = None

    @property
    def fits(self) -> bool:
        """Whether everything asked for has a build that fits."""
        return bool(self.chosen) and self.command is not None
