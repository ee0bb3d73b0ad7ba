"""PTX newer than the driver: which CUDA compiled it, and which driver or compiler fixes it. Pure.

Minor-version compatibility does not cover PTX: output of CUDA 12.6's compiler needs a 12.6 driver, although
machine code of the same CUDA runs on every driver of CUDA 12.
"""

from collections.abc import Iterable
from typing import Final

from accel.facts.containers import ENVIRONMENT
from accel.resolver.installer import pip_install
from accel.resolver.torch_here import group
from accel.vendors.contract.check import Evidence, Facts, Problem, Remedy, Specs, quoted
from accel.vendors.contract.command import bounded_word, chained, command_line, match_word, package_word, path_word
from accel_nvidia import around
from accel_nvidia.cuda_in_use import newer_cuda
from accel_nvidia.version import parts

_WHEELS: Final = ("nvidia-cuda-nvrtc-cu11", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc")
_WITH_MODULES: Final = ("cluster", "environment-modules")
_OF_CONDA: Final = ("cudatoolkit", "cuda-version", "cuda-nvrtc")
OLDER_COMPILER: Final = (
    "Keep the driver, and let the program compile with the CUDA that it supports (shown by nvidia-smi): an older "
    "cudatoolkit, or cuda-version in conda."
)


def compiled_with(facts: Facts, specs: Specs) -> str | None:
    """Return the CUDA of the wheel or conda package that compiles at run time ("12.6"), else that of the rejected PTX.

    None if it is unknown or ambiguous.
    """
    found = {".".join(p.version.split(".")[:2]) for p in facts.packages(*_WHEELS, *_OF_CONDA) if p.version}
    if len(found) == 1:
        return found.pop()
    rejected = next(iter(_of_version(facts, specs, "wants")), None)
    return rejected or (newer_cuda(facts, served(facts, specs)) or _of_host(facts, specs) if not found else None)


def _of_host(facts: Facts, specs: Specs) -> str | None:
    """Return the CUDA of the torch that an installed server pins; None if the driver supports it."""
    host = next(iter(facts.packages(*group(specs, "hosts"))), None)
    known = specs.companion(host.name, host.version) if host is not None and host.version else None
    release = specs.framework("torch", known.torch.removeprefix("==")) if known is not None and known.torch else None
    builds = release.builds if release is not None else ()
    cuda = next((b.toolkit_version for b in builds if b.default and b.platform == "linux_x86_64"), None)
    return cuda if cuda and parts(cuda) > parts(served(facts, specs) or cuda) else None


def _of_version(facts: Facts, specs: Specs, which: str) -> tuple[str, ...]:
    """Return the CUDA releases, oldest first, of the PTX version that is rejected ("wants") or supported ("has")."""
    told = next((v for fact in facts.stated("ptx-newer-than-driver") if (v := fact.value(which))), None)
    rows = (specs.table("nvidia/ptx_versions") or {}).get("versions", ())
    return next((tuple(row["cuda"]) for row in rows if row["ptx"] == told), ())


def served(facts: Facts, specs: Specs) -> str | None:
    """Return the newest CUDA whose PTX the driver accepts: by its version, else by what it reports."""
    driver = around.driver_version(facts) or around.installed_driver(facts)
    system = "windows" if around.on_windows(facts) else "linux"
    known = specs.toolkit_of_driver("cuda", driver, system) if driver else None
    return known or next(reversed(_of_version(facts, specs, "has")), None)


def native_driver(facts: Facts, specs: Specs, cuda: str | None) -> str | None:
    """Return the oldest driver that accepts this CUDA's PTX."""
    toolkit = specs.toolkit("cuda", cuda) if cuda else None
    if toolkit is None:
        return None
    return toolkit.driver_minimum_windows if around.on_windows(facts) else toolkit.driver_minimum


def driver_of_call(facts: Facts, specs: Specs, said: Iterable[str]) -> str | None:
    """Return the oldest driver with the missing libcuda functions; None if their version is unknown."""
    calls = (specs.table("nvidia/cuda") or {}).get("driver_calls", {})
    text = " ".join(fact.text for fact in facts.stated(*said))
    came = [cuda for name, cuda in calls.items() if name in text]
    return native_driver(facts, specs, max(came, key=parts)) if came else None


def older_compiler(facts: Facts, specs: Specs) -> Remedy | None:
    """Return how to downgrade the compiler to the driver's CUDA: a wheel of the same major version."""
    serves = served(facts, specs)
    have, want = parts(compiled_with(facts, specs) or ""), parts(serves or "")
    if serves is None or len(have) < 2 or len(want) < 2 or have <= want:
        return None
    text = f"Keep the driver, and compile with the CUDA {serves} that it supports."
    if (known := next(iter(facts.packages(*_OF_CONDA)), None)) is not None:
        if want[0] < 12 and known.name != "cudatoolkit":
            return None
        newer = match_word(f"cuda-version={want[0]}.{want[1]}")
        spec = newer if want[0] >= 12 else bounded_word("cudatoolkit", f"<{want[0]}.{want[1] + 1}")
        command = command_line("conda install", "-c conda-forge", spec)
        return Remedy(text=text, command=command, action="env") if known.channel in ("conda", None) else None
    wheel = next(iter(facts.packages(*_WHEELS)), None)
    if wheel is None and any(f.value("class") in _WITH_MODULES for f in facts.stated(ENVIRONMENT)):
        loaded = chained("module avail cuda", command_line("module load", path_word(f"cuda/{serves}")), by=";")
        return Remedy(
            text=f"Keep the cluster's driver, and compile with the CUDA {serves} that it supports: load the module of "
            "that toolkit instead of the newer one, and point the program to it (CUDA_HOME), then start it again.",
            command=loaded,
            action="env",
        )
    if wheel is None or have[0] != want[0]:
        return _linked(facts, specs, have[0])
    bound = bounded_word(wheel.name, f">={want[0]}.{want[1]},<{want[0]}.{want[1] + 1}")
    return Remedy(text=text, command=pip_install(facts, bound), action="env") if bound else None


def _linked(facts: Facts, specs: Specs, major: int) -> Remedy | None:
    """Return how a program in the text links its PTX itself, so that the driver need not know that version."""
    rows = (specs.table("nvidia/ptx_versions") or {}).get("linkers", ())
    texts = [one.text.lower() for one in facts.snapshot.observations]
    row = next((r for r in rows if r["major"] == major and any(r["program"] in text for text in texts)), None)
    package = package_word(row["package"]) if row is not None else None
    return Remedy(text=row["text"], command=pip_install(facts, package), action="env") if row and package else None


def problem_of(facts: Facts, specs: Specs, compiler: str) -> Problem:
    """Return the problem of a driver that is older than the CUDA that compiled the program's PTX."""
    from accel_nvidia.driver_install import newer_driver

    floor = native_driver(facts, specs, compiler)
    known = around.driver_version(facts) or around.installed_driver(facts)
    serves, older_one = served(facts, specs), older_compiler(facts, specs)
    than = f"and driver {known} supports CUDA {serves}" if known and serves else "but the driver is older than that"
    last = () if older_one else (Remedy(text=OLDER_COMPILER, action="env"),)
    return Problem(
        title=f"The PTX was compiled with CUDA {compiler}, {than}",
        detail="A driver runs machine code built with any minor version of its CUDA major version, but not PTX from a "
        "newer minor version.",
        evidence=(
            *quoted(facts.stated("ptx-newer-than-driver")),
            Evidence(fact="compiler", value=compiler),
            *((Evidence(fact="driver", value=known),) if known else ()),
        ),
        remedies=(*((older_one,) if older_one else ()), newer_driver(facts, specs, floor), *last),
    )
