import re
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, need, quoted
from accel.vendors.contract.command import bounded_word, command_line, package_word, requirement_word, url_word

_LIBTPU: Final = "https://storage.googleapis.com/jax-releases/libtpu_releases.html"  # for releases before 0.5
_LAST_PYTHON: Final = (3, 11)  # with wheels of the releases before those that the resolver knows
_SAME_NUMBERS: Final = (0, 4)  # from this release on jax and jaxlib are published under the same number
_ALIKE: Final = (0, 3)  # from this release on jaxlib's numbers begin as jax's
_OF_PLUGIN: Final = (
    "generate_pjrt_gpu_plugin_options",
    "register_custom_call_handler",
    "register_custom_type_id_handler",
)
_NUMBERED: Final = pattern(r"\d{1,3}(?:\.\d{1,3}){1,3}")


@check(
    code="AC006",
    name="jax-jaxlib-mismatch",
    layer="framework",
    reads=("jaxlib-unlike-jax", "jaxlib-name-missing", "tpu-mentioned"),
    needs=("package.jax", "package.jaxlib"),
)
def jax_jaxlib_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """jaxlib is newer than jax, or older than the minimum that jax requires.

    Why it matters   import jax fails.
    What to do       Install both in one command.
    Looks at         jax's own error messages; both versions, and the minimum in the release table
    Silent when      jaxlib is older than jax but not below jax's minimum: such pairs are allowed; or jax lists its
                     devices, so its import succeeded
    Source           JAX: jax/_src/lib/__init__.py; jax/version.py as cited in specs/frameworks/jax.yaml
    """
    said = facts.stated("jaxlib-unlike-jax")
    said += tuple(fact for fact in facts.stated("jaxlib-name-missing") if _is_jaxs(fact))
    jax, jaxlib = _version(facts, "jax"), _version(facts, "jaxlib")
    if said:
        told = said[0]
        jax = (
            jax
            or told.value("by_version")
            or (_exact(told.value("wants")) if told.value("relation") != "older" else None)
        )
        jaxlib = (told.value("has") if told.value("component") == "jaxlib" else None) or jaxlib
        title = "jax and jaxlib do not match"
        if jax and jaxlib:
            title = f"jax {jax} and jaxlib {jaxlib} do not match"
        yield Problem(title=title, evidence=quoted(said), remedies=_remedies(facts, specs, jax, jaxlib, _floor(told)))
        return
    if jax is None and jaxlib is None:
        return
    if any(f is not None and f.available is not None for f in (facts.framework("jax"), facts.framework("jaxlib"))):
        return
    one, other = need(jax, "the version of jax"), need(jaxlib, "the version of jaxlib")
    release = specs.framework("jax", one)
    minimum = release.jaxlib_minimum if release is not None else None
    newer = _numbers(other)[:3] > _numbers(one)[:3]
    older = minimum is not None and _numbers(other) < _numbers(minimum)
    if newer or older:
        reason = "is newer than jax" if newer else f"is older than jax's minimum, {minimum}"
        yield Problem(
            title=f"jaxlib {other} {reason} ({one})" if newer else f"jaxlib {other} {reason}",
            evidence=(Evidence(fact="jax", value=one), Evidence(fact="jaxlib", value=other)),
            remedies=_remedies(facts, specs, one, other),
        )
    elif release is None and _numbers(other) < _numbers(one):
        need(minimum, f"the jaxlib that jax {one} asks for")


def _version(facts: Facts, name: str) -> str | None:
    """Return the version if only one is known; two lists that disagree prove nothing."""
    versions = {p.version for p in facts.packages(name) if p.version}
    framework = facts.framework(name)
    if not versions and framework is not None and framework.version:
        versions = {framework.version}
    return next(iter(versions)) if len(versions) == 1 else None


def _is_jaxs(fact: Fact) -> bool:
    """Return whether jax stopped at the name; a missing backend that jax skips is only noted."""
    if "jax_plugins" in (fact.value("wanted_by") or "") or fact.value("name") in _OF_PLUGIN:
        return False  # the plugin uses it: jax and jaxlib may match
    return "Unable to initialize backend" not in fact.text and "GpuAllocatorConfig" not in fact.text


def _floor(told: Fact) -> str | None:
    """Return the oldest jaxlib that jax accepts, if its message says so."""
    wants = (told.value("wants") or "").lstrip(">= ") if told.value("relation") == "older" else ""
    return wants if _NUMBERED.fullmatch(wants) else None


def _bounds(jax: str, floor: str | None) -> str:
    """Return the jaxlib bounds for a jax: not newer than jax, except that old jaxlibs were numbered 0.1.x."""
    newest = f"<={jax}" if _numbers(jax) >= _ALIKE else "<0.2"
    return f">={floor},{newest}" if floor else newest


def _exact(wants: str | None) -> str | None:
    """Return the version of a jax that rejects a newer jaxlib; None if these are bounds on jaxlib."""
    return wants if wants and wants[:1].isdecimal() else None


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(n) for n in found[0].split(".")) if found else ()


def _remedies(
    facts: Facts, specs: Specs, jax: str | None, jaxlib: str | None, floor: str | None = None
) -> tuple[Remedy, ...]:
    """Return the steps. If jaxlib is newer, upgrade jax first, so that its plugins stay as they are."""
    if jax is not None and facts.stated("tpu-mentioned"):
        return (
            Remedy(
                text="Install this jax with its TPU extra, in one command, which installs the matching jaxlib "
                "and libtpu.",
                command=command_line("pip install", requirement_word("jax", jax, "tpu"), "-f", url_word(_LIBTPU)),
            ),
        )
    given = _jaxlib_stays(facts, specs, jax, jaxlib)
    return (*given, *_by_jax(facts, specs, jax, floor))


def _jaxlib_stays(facts: Facts, specs: Specs, jax: str | None, jaxlib: str | None) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, is_known

    if jax is None or jaxlib is None or _NUMBERED.fullmatch(jaxlib.partition("+")[0]) is None:
        return ()
    release = jaxlib.partition("+")[0]
    if not _numbers(jax) < _numbers(release) or _numbers(release) < _SAME_NUMBERS:
        return ()
    checked = install(facts, specs, "jax", text="", version=release).command
    if is_known(specs, "jax", release) and (checked is None or release not in checked):
        return ()  # this Python has no wheels of it
    both = pip_install(facts, bounded_word("jax", f"=={release}"), bounded_word("jaxlib", f"=={jaxlib}"))
    return (Remedy(text=f"Update jax to jaxlib's release, {release}; jaxlib stays.", command=both),)


def _by_jax(facts: Facts, specs: Specs, jax: str | None, floor: str | None) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, is_known

    if jax is None and floor is not None:
        least = pip_install(facts, bounded_word("jaxlib", f"=={floor}"))
        newest = install(facts, specs, "jax", text="Or upgrade both", newest=True)
        if facts.stated("tpu-mentioned"):
            text = "Or upgrade both, with what jax needs for the TPU."
            newest = Remedy(text=text, command=command_line("pip install -U", package_word("jax", "tpu")))
        return (Remedy(text="Install the jaxlib that this jax requires.", command=least), newest)
    text = "Install jax in one command, which installs the matching jaxlib"
    kept = install(facts, specs, "jax", text=text, version=jax, again=True)
    python = _numbers(facts.environment.python_version or "")[:2]
    known = jax is not None and is_known(specs, "jax", jax)
    if jax is not None and not known and python <= _LAST_PYTHON:
        kept = Remedy(
            text="Install a jaxlib that matches this jax.",
            command=pip_install(facts, bounded_word("jax", f"=={jax}"), bounded_word("jaxlib", _bounds(jax, floor))),
        )
    elif jax is not None and kept.command is not None and kept.command.endswith(f"install jax=={jax}"):
        release = specs.framework("jax", jax)  # jax is installed: an installer changes jaxlib only if it is named
        jaxlib = (release.jaxlib if release is not None else None) or jax
        pair = pip_install(facts, bounded_word("jax", f"=={jax}"), bounded_word("jaxlib", f"=={jaxlib}"))
        kept = Remedy(text="Install the jaxlib for this jax.", command=pair)
    newest = install(facts, specs, "jax", text="Upgrade both", newest=True)
    return (kept, newest) if newest.command not in (None, kept.command) else (kept,)
