import re
from typing import TYPE_CHECKING, Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, package_word
from accel_nvidia.version import parts

if TYPE_CHECKING:
    from accel.model.environment import Package

_PLUGIN: Final = pattern(r"jax-cuda\d+-(plugin|pjrt)", exact_case=True)
_ASKS: Final = "jax-plugin-asks-absent-name"
_OF_CUDA: Final = ("jax-plugin-unlike-jaxlib", "pjrt-plugin-twice", _ASKS)
_OF_ANY_PLUGIN: Final = ("pjrt-api-unlike", "pjrt-size-unlike")  # all vendors' plugins share these messages
_OF_OTHER_BACKEND: Final = pattern(r"backend [\"']?(?!cuda|gpu)[a-z]\w{1,20}[\"']?:", re.IGNORECASE)
_OF_A_TPU: Final = ("tpu-word", "tpu-mentioned", "torch-xla-named", "tpu-type")


@check(
    code="NV063",
    name="jax-cuda-plugin-mismatch",
    layer="framework",
    reads=(*_OF_CUDA, *_OF_ANY_PLUGIN, *_OF_A_TPU, "cuda-plugin-named", "jax-handler-missing"),
    needs=("package.jaxlib",),
    requires=("jax-jaxlib-mismatch",),
)
def jax_cuda_plugin_mismatch(facts: Facts, specs: Specs) -> Problems:
    """jax-cudaNN-plugin or jax-cudaNN-pjrt has another version than jaxlib.

    Why it matters   JAX ignores the plugin and runs on the CPU, or stops while loading it.
    What to do       Install all JAX packages in one command, so that the versions match.
    Looks at         JAX's warning, the PJRT version messages; the versions of jaxlib, plugin and pjrt; plugins for two
                     CUDA majors, which register for the same devices: a warning
    Silent when      the versions match; the PJRT lines are about a TPU plugin. A missing handler alone is a warning
    Source           JAX: jax/_src/xla_bridge.py, jax_plugins/cuda/__init__.py; XLA: PJRT C API versions
    """
    said = facts.stated(*_OF_CUDA)
    named_otherwise = any(_OF_OTHER_BACKEND.search(fact.text) for fact in facts.stated(*_OF_ANY_PLUGIN))
    if not _of_a_tpu(facts) and not named_otherwise and facts.host.system != "macos":
        said += facts.stated(*_OF_ANY_PLUGIN)
    unlike = _unlike(facts)
    missing = facts.stated("jax-handler-missing")
    twice = () if said or unlike or missing else _of_two_majors(facts)
    if not (said or unlike or missing or twice):
        return
    title = "JAX's CUDA plugin does not match this jaxlib"
    first = next((fact for fact in said if fact.value("has") and fact.value("wants")), None)
    if first is not None:
        name = _named(first) or "The CUDA plugin"
        title = f"{name} {first.value('has')} does not match jaxlib {first.value('wants')}"
    elif said and said[0].name == _ASKS and (asks := _named(said[0])):
        title = f"{asks} comes from a different release than jax: it uses a name that this jax does not have"
    elif unlike:
        title = f"{unlike[0].name} {unlike[0].version} does not match {unlike[1].name} {unlike[1].version}"
    elif twice or (said and said[0].name == "pjrt-plugin-twice"):
        title = "Two CUDA plugins for JAX are installed"
    evidence = quoted((*said, *missing))
    evidence = (*evidence, *(Evidence(fact=p.name, value=p.version or "?") for p in (*unlike, *twice)))
    yield Problem(
        title=title, evidence=evidence, remedies=_remedies(facts, specs), severity=None if said or unlike else "warning"
    )


def _named(fact: Fact) -> str | None:
    """Return the plugin as the message spells it: "jax_cuda12_plugin"."""
    if fact.name == _ASKS:
        return fact.value("plugin")
    found = re.search(r"jax_cuda\d+_p\w+", fact.text, re.IGNORECASE)
    return found[0].lower() if found else None


def _of_a_tpu(facts: Facts) -> bool:
    """Return whether a PJRT line is about a TPU plugin: the text mentions one or torch_xla, and no CUDA plugin."""
    if any(_PLUGIN.fullmatch(package.name) for package in facts.packages()) or facts.stated("cuda-plugin-named"):
        return False
    told = facts.stated(*_OF_A_TPU)
    return bool(told or facts.of("tpu") or facts.packages("libtpu", "torch-xla"))


def _of_two_majors(facts: Facts) -> "tuple[Package, ...]":
    """Return the plugins if they are for two CUDA majors, since both register for the same devices; else ()."""
    plugins = {p.name: p for p in facts.packages() if p.name.endswith("-pjrt") and _PLUGIN.fullmatch(p.name)}
    return tuple(plugins.values()) if len(plugins) > 1 else ()


def _unlike(facts: Facts) -> "tuple[Package, ...]":
    """Return the plugin package and the one whose version differs; () if none differs or a version is unknown."""
    plugins = [p for p in facts.packages() if _PLUGIN.fullmatch(p.name) and p.version]
    jaxlibs = {p.version: p for p in facts.packages("jaxlib") if p.version}
    if len(jaxlibs) == 1:
        plugins.append(next(iter(jaxlibs.values())))
    for one in plugins:
        for other in plugins:
            if parts(one.version or "")[:3] != parts(other.version or "")[:3]:
                return (one, other)
    return ()


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    said = facts.stated(*_OF_CUDA)
    named = [name.replace("_", "-") for fact in said if (name := _named(fact))]
    named += [name.replace("-plugin", "-pjrt") for name in named]  # each release has both
    packages = sorted({n for n in (*named, *(p.name for p in facts.packages())) if _PLUGIN.fullmatch(n)})
    extras = sorted({name.split("-")[1] for name in packages})
    told = next((v for fact in said if (v := fact.value("wants"))), None)
    jax = facts.package("jax")
    again = install(
        facts,
        specs,
        "jax",
        text="Remove all of JAX and install it in one command",
        on=machine_of(facts, specs, "nvidia"),
        version=told if jax is None or jax.version is None else None,
        build=extras[0] if len(extras) == 1 else None,
        again=True,
        remove=("jax", "jaxlib", *(packages or ("jax-cuda12-plugin", "jax-cuda12-pjrt"))),
    )
    jaxlib = facts.framework("jaxlib")
    if jaxlib is None or not (jaxlib.variant or "").startswith("cuda"):
        return (again,)
    plugins = packages or ["jax-cuda12-plugin", "jax-cuda12-pjrt"]
    without = Remedy(
        text=f"This jaxlib (+{jaxlib.variant}) has CUDA support built in: the plugin is for a later one. Remove "
        "the plugin.",
        command=command_line("pip uninstall -y", *(package_word(name) for name in plugins)),
    )
    return (without, again)
