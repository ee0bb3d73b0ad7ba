from collections.abc import Iterator, Mapping
from typing import Final

from accel.facts.containers import CONTAINER, in_container
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, image_word, package_word

_WITHOUT: Final = 'docker run --rm -it -v "$PWD":/work -w /work'
_WITH_GPUS: Final = 'docker run --rm -it --gpus all -v "$PWD":/work -w /work'
_OLDEST_SUPPORTED: Final = "22.04"  # an older image has no Python that current wheels are built for
_BUILT_BY_PIP: Final = {
    "flash_attn": "flash-attn",
    "causal_conv1d": "causal-conv1d",
    "selective_scan": "mamba-ssm",
    "torch_scatter": "torch-scatter",
    "torch_sparse": "torch-sparse",
    "torch_cluster": "torch-cluster",
    "libpyg": "pyg-lib",
}


@check(
    code="AC027",
    name="glibc-too-old",
    layer="toolkit",
    reads=("libc-version-missing", "libc-version", *CONTAINER),
    needs=("run.program",),
)
def glibc_too_old(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library or program needs functions that the system's C library (glibc) does not have yet.

    Why it matters   The import or the start fails. The C library belongs to the system; no Python package provides it.
    What to do       Run it on a newer system or in a container of one; or use a release, or a build, for this system.
    Looks at         "version `GLIBC_x.y' not found", and what required it; the system's own version if it is printed
    Silent when      GLIBCXX or CXXABI is missing: that is the C++ library, which can be installed
    Source           glibc: elf/dl-version.c; PEP 600
    """
    missing = facts.stated("libc-version-missing")
    if not missing:
        return
    wanted = max(filter(None, map(_wanted, missing)), key=_order, default=None)
    newest = [fact for fact in missing if _wanted(fact) == wanted]
    by = next((fact.value("wanted_by") for fact in (*newest, *missing) if fact.value("wanted_by")), None)
    what = _short(by) if by else "A program"
    stated = facts.first("libc-version")
    has = facts.host.libc.removeprefix("glibc").strip(" -_") if facts.host.libc else None
    has = has or (stated.value("version") if stated else None)
    if has and wanted and _order(has) >= _order(wanted):
        has = None  # on another system than the one with the error
    title = f"{what} needs glibc {wanted or 'of a newer system'}; this system's is older"
    if has and wanted:
        title = f"{what} needs glibc {wanted}; this system has {has}"
    yield Problem(
        title=title,
        evidence=quoted((*missing[:3], *((stated,) if stated and has else ()))),
        remedies=(
            *_built_here(by),
            _on_a_newer_system(wanted, facts, specs),
            Remedy(
                text=f"Or use an older release of {f'what {what} belongs to' if by else 'the program'}, or build "
                "it here: pip only selects wheels by the system's glibc (manylinux) if pip itself is recent.",
                action="env",
            ),
        ),
    )


def _on_a_newer_system(wanted: str | None, facts: Facts, specs: Specs) -> Remedy:
    newer = f" (glibc {wanted} or newer)" if wanted else ""
    image = _image(wanted, specs)
    start = _WITH_GPUS if facts.of("nvidia") or facts.mentions("cuda", "nvidia") else _WITHOUT
    if in_container(facts):
        return Remedy(text=f"Use or build an image of a newer system{newer}: {image} has it.", action="env")
    return Remedy(
        text=f"Run it in a container with a newer system{newer}, or on a newer system; never replace a running "
        "system's C library.",
        command=command_line(start, image_word(image)),
        action="admin",
    )


def _image(wanted: str | None, specs: Specs) -> str:
    """Return the image of the oldest supported Ubuntu LTS release with a sufficiently new C library."""
    rows = (specs.table("system/distributions") or {}).get("distributions", ())
    glibc: Mapping[str, str] = next((row["glibc"] for row in rows if "ubuntu" in row["names"]), {})
    long = [(release, has) for release, has in glibc.items() if release.endswith(".04") and int(release[:2]) % 2 == 0]
    supported = [(release, has) for release, has in long if release >= _OLDEST_SUPPORTED]
    enough = [release for release, has in supported if wanted is None or _order(has) >= _order(wanted)]
    return f"ubuntu:{min(enough)}" if wanted is not None and enough else "ubuntu:24.04"


def _built_here(by: str | None) -> Iterator[Remedy]:
    """Yield how to build an add-on that a pip command compiles for this system; nothing for other files."""
    package = next((name for folder, name in _BUILT_BY_PIP.items() if folder in (by or "")), None)
    if package is not None:
        yield Remedy(
            text=f"Compile {package} here instead of using its wheel: this needs the toolkit for torch's CUDA.",
            command=command_line(
                "pip install --force-reinstall --no-deps --no-build-isolation --no-binary :all:", package_word(package)
            ),
            action="env",
        )


def _short(path: str) -> str:
    """Return a file's name, with its folder if the name is not distinctive: "vllm/_C.abi3.so"."""
    parts = path.strip("'\"`()").split("/")
    return "/".join(parts[-2:]) if parts[-1].startswith("_") else parts[-1]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _wanted(fact: Fact) -> str | None:
    name = fact.value("name") or ""
    found = name.strip("`'\"").upper().partition("GLIBC_")[2] or fact.value("wants") or ""
    plain = found.strip("`'\"><=~! ")
    return plain if plain[:1].isdecimal() else None
