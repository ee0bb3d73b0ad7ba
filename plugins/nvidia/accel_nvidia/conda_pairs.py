"""PyTorch requested from conda with a CUDA that it was never built for, so that conda installs the CPU build. Pure.

conda install pytorch=1.9.0 cudatoolkit=11.3        1.9.0 was built for CUDA 10.2 and 11.1; 11.3 begins with 1.10.0
"""

from collections.abc import Iterator

from accel.model.dataclass import dataclass
from accel.resolver.typed import typed_in_conda
from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Facts, Problem, Remedy, Specs, quoted
from accel_nvidia import around
from accel_nvidia.version import cuda_of_variant


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A pair requested from conda, and the CUDA versions that this release was built for, oldest first."""

    release: str
    cuda: str
    built: tuple[str, ...]


def pair_without_build(facts: Facts, specs: Specs) -> Problem | None:
    """Return the problem if torch sees no GPU because conda has no build of the requested pair."""
    pair = _asked(facts, specs)
    torch = facts.framework("torch")
    unseen = around.sees_no_gpu(facts) or (torch is not None and torch.available is False)
    if pair is None or not unseen:
        return None
    return Problem(
        title=f"conda has no PyTorch {pair.release} for CUDA {pair.cuda}, and installs the CPU build instead",
        detail=f"PyTorch {pair.release} was built for CUDA {' and '.join(pair.built)}.",
        devices=tuple(device.id for device in facts.of("nvidia")),
        evidence=(
            *quoted(facts.stated("torch-build-asked")),
            Evidence(fact="torch.cuda.is_available()", value="False"),
        ),
        remedies=tuple(_remedies(facts, specs, pair)),
    )


def _asked(facts: Facts, specs: Specs) -> _Pair | None:
    pin = typed_in_conda(facts, "torch")
    if pin is None or pin.version is None or pin.build is None:
        return None
    release = specs.framework("torch", pin.version) or specs.framework("torch", f"{pin.version}.0")
    built = {cuda for build in release.builds if (cuda := cuda_of_variant(build.variant))} if release else set()
    cuda = cuda_of_variant(pin.build)
    if release is None or cuda is None or not built or cuda in built:
        return None
    return _Pair(release=release.version, cuda=cuda, built=tuple(sorted(built, key=numbers)))


def _remedies(facts: Facts, specs: Specs, pair: _Pair) -> Iterator[Remedy]:
    """Yield the requested release with the nearest CUDA it has, and the first release for the requested CUDA."""
    from accel.resolver.remedies import install, machine_of

    machine = machine_of(facts, specs, "nvidia")
    older = [cuda for cuda in pair.built if numbers(cuda) < numbers(pair.cuda)]
    for cuda in (*reversed(older), *(cuda for cuda in pair.built if cuda not in older)):
        kept = install(
            facts,
            specs,
            "torch",
            text=f"Keep PyTorch {pair.release}, and use a CUDA that it was built for: {cuda}",
            on=machine,
            version=pair.release,
            build="cpu",
            variant=_variant(cuda),
        )
        if kept.command is not None and pair.release in kept.command:
            yield kept
            break
    later = (
        release.version
        for release in sorted(specs.frameworks("torch"), key=lambda one: numbers(one.version))
        if any(build.variant == _variant(pair.cuda) for build in release.builds)
    )
    if (first := next(later, None)) is not None:
        yield install(
            facts,
            specs,
            "torch",
            text=f"Or keep CUDA {pair.cuda}, and use the first PyTorch that was built for it: {first}",
            on=machine,
            version=first,
            build="cpu",
            variant=_variant(pair.cuda),
        )


def _variant(cuda: str) -> str:
    return f"cu{cuda.replace('.', '')}"
