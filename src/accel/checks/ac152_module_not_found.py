from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Command, Raised
from accel.remedies.environment import in_notebook
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.words import Words
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, package_word, path_word, url_word

_PYTHON: Final = "environment-python"
_ASKED: Final = frozenset(("packagenotfounderror", "distributionnotfound", "importerror", "exception", "metadata"))
_ROOT: Final = pattern(r"(?P<root>/[\w./+-]{1,160}?)/lib/python3\.\d{1,2}/(?:site|dist)-packages/", exact_case=True)
_FAILING: Final = frozenset(("failed", "fails", "failure", "error", "fatal", "critical", "unable", "cannot"))
_PIPS: Final = ("pip", "pip3")
_BY_ROOT: Final = ("sudo pip", "sudo -H pip")
_PIP_AT: Final = pattern(r"pip \S{1,20} from (?P<folder>/\S{1,200})/pip \(python (?P<python>\d\.\d{1,2})\)")
_OF_KERNEL: Final = frozenset(("modinfo", "modprobe", "insmod", "rmmod", "dkms"))  # their modules are no Python's
_GOING_ON: Final = frozenset(
    ("warning", "warn", "userwarning", "without", "optional", "ignoring", "ignored", "skipping", "skipped", "caught")
)


@check(
    code="AC152",
    name="module-not-found",
    layer="framework",
    reads=("module-not-found", "distribution-not-found", "venv-named", _PYTHON),
    needs=("run.program",),
    last_resort=True,
)
def module_not_found(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Python does not find a module: its package is not installed in the environment that runs the program.

    Why it matters   The program stops at the import. The driver and the device are not involved.
    What to do       Find out which environment runs the program; install the package there.
    Looks at         ModuleNotFoundError and the like; PackageNotFoundError; names in mere warnings do not count
    Silent when      another check knows the module, or found another fault
    Source           Python: importlib; specs/frameworks/modules.yaml for packages with another name than their module
    """
    raised = [fact for fact in facts.stated("module-not-found") if _ends_a_program(fact.text)]
    if not raised:
        yield from _distributions(facts, specs)
        return
    first = raised[0]
    module = (first.value("name") or "").strip("'\"")
    top = module.split(".")[0]
    package = _package_of(top, specs)
    installed = facts.package(package)
    if "." not in module and (two := _two_pythons(facts, package)) is not None:
        yield Problem(
            title=f"{package} was installed for {two[0]}, and the program runs {two[1]}",
            evidence=quoted(raised),
            remedies=_elsewhere(facts, package),
        )
        return
    if installed is not None and "." not in module:
        yield Problem(
            title=f"{package} is listed as installed, but the Python that runs the program does not find it",
            detail="It is listed for a different Python than the program's, or its files are gone.",
            evidence=(*quoted(raised), Evidence(fact=package, value=installed.version or "installed")),
            remedies=(*_kernel_anew(facts, package), *_elsewhere(facts, package)),
        )
        return
    inside = "." in module  # Python found the package; otherwise it would name that
    yield Problem(
        title=f"{package} is installed, but has no module {module}: a different release is needed"
        if inside
        else f"The module {module} is not installed in the environment that runs the program",
        evidence=quoted(raised),
        remedies=(
            Remedy(
                text="Check which Python runs the program, and whether it has the package.",
                command=_look(package),
                kind="look",
            ),
            _other_release(facts, package, module) if inside else _install(facts, specs, package),
        ),
    )


def _distributions(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Yield what Python programs say about packages by their installed records, not what a system's installer says."""
    told = [
        fact
        for fact in facts.stated("distribution-not-found")
        if fact.value("component") or _ASKED & set(Words(fact.text).words)
    ]
    if not told:
        return
    package = (told[0].value("name") or "").strip("'\"")
    if told[0].value("component"):
        package = _package_of(package.lower(), specs)
    yield Problem(
        title=f"{package} is required but not installed under this name in the environment that runs the program",
        evidence=quoted(told),
        remedies=(
            Remedy(text="Check what is installed, and in which environment.", command=_look(package), kind="look"),
            *_kernel_anew(facts, package),
            Remedy(
                text="Install it there. If it is installed under a newer or older name, update the program to "
                "the release that uses this name.",
                command=command_line("python -m pip install", package_word(package)),
            ),
        ),
    )


def _package_of(module: str, specs: Specs) -> str:
    """Return the package that installs a module; if each CUDA version has its own build, the GPU build."""
    table = specs.table("frameworks/modules") or {}
    return next((r["package"] for r in table.get("modules", ()) if r["module"] == module), module.replace("_", "-"))


def _two_pythons(facts: Facts, package: str) -> tuple[str, str] | None:
    """Return the Python that a package was installed for, and the one that runs the program, if the text shows both."""
    typed = [one for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice]
    asked = [one for one in typed if one.verb == "install" and package in one.operands]
    pips = (found for one in typed if one.tool in _PIPS and (found := _PIP_AT.match(one.answer or "")))
    pip, python = next(pips, None), _python_of(typed)
    if not asked:
        return None
    if pip is not None and python is not None and not pip["folder"].startswith(python.rpartition("/bin/")[0] + "/"):
        return f"Python {pip['python']} by its pip ({pip['folder']})", python
    if any(words in one.text for one in asked for words in _BY_ROOT) and facts.stated("venv-named"):
        return "the system's Python by sudo", "that of its own environment"
    return None


def _python_of(typed: Iterable[Command]) -> str | None:
    """Return the path of the Python that the shell starts, as the text shows it."""
    which = (one.answer for one in typed if one.tool == "which" and one.operands[:1] in (("python",), ("python3",)))
    return next((path for path in which if path and path.startswith("/") and "/bin/" in path), None)


def _elsewhere(facts: Facts, package: str) -> tuple[Remedy, ...]:
    """Return how to install a package with the program's Python, from the index that was typed for another one."""
    files = (frame.file for one in facts.snapshot.observations if isinstance(one, Raised) for frame in one.frames)
    root = next((found["root"] for file in files if (found := _ROOT.match(file))), None)
    python = path_word(f"{root}/bin/python") if root is not None and not root.startswith("/usr") else None
    own = (path_word(at) for fact in facts.stated(_PYTHON) if (at := fact.value("python")))
    which = _python_of(one for one in facts.snapshot.observations if isinstance(one, Command))
    shown = path_word(which) if which is not None and not which.startswith("/usr") else None
    python = python or next(own, shown)
    asked = (one for one in facts.snapshot.observations if isinstance(one, Command) and package in one.operands)
    options = (option for one in asked for option in one.options)
    index = next((o.removeprefix("--index-url=") for o in options if o.startswith("--index-url=")), None)
    words = (package_word(package), *(("--index-url", url_word(index)) if index is not None else ()))
    there = command_line(python, "-m pip install", *words) if python is not None else None
    return (
        Remedy(
            text="Install it with the Python that runs the program: pip and the program's interpreter belong to "
            "two environments (a shell's, a service's, a notebook's kernel, sudo's).",
            command=there or command_line("python -m pip install", *words),
        ),
        Remedy(text="Or start the program with the Python that has it.", command=_look(package)),
    )


def _look(package: str) -> str | None:
    return command_line("python -m pip show", package_word(package))


def _other_release(facts: Facts, package: str, module: str) -> Remedy:
    """Return the step for an installed package that lacks the module: reinstalling it changes nothing."""
    there = facts.package(package)
    release = f" {there.version}" if there is not None and there.version else ""
    return Remedy(
        text=f"Use the release of {package} that the program was written for: {package}{release} has no "
        f"{module}. A newer one if the program is new; an older one if the module was removed.",
        command=command_line("python -m pip install --upgrade", package_word(package)),
    )


def _kernel_anew(facts: Facts, package: str) -> tuple[Remedy, ...]:
    """Return the step for a notebook whose kernel looked for a package before its installation; () elsewhere."""
    if facts.package(package) is None or not in_notebook(facts):
        return ()
    return (
        Remedy(
            text=f"{package} is installed: restart the notebook's kernel (Colab: Runtime, Restart session), "
            "which looked for it before the installation, and run its cells again.",
            action="app",
        ),
    )


def _install(facts: Facts, specs: Specs, package: str) -> Remedy:
    if package in ("torch", "jax", "tensorflow"):
        from accel.resolver.remedies import install

        return install(facts, specs, package, text=f"Install {package} there, in the build for this machine")
    wheels = specs.table("frameworks/wheels") or {}
    other = next((row for row in wheels.get("windows_instead", ()) if row["package"] == package), None)
    if facts.host.system == "windows" and other is not None:
        command = command_line("python -m pip install", package_word(other["instead"]))
        return Remedy(text=other["text"], command=command, action="env")
    without = wheels.get("without_windows", ())
    if facts.host.system == "windows" and package in without:
        return Remedy(text=f"{package} has no Windows build: use it in WSL2, or do without it.", action="env")
    return Remedy(
        text="Install it there: with the same Python, not with the pip that comes first on PATH. A module that "
        "is part of the program is only found from the program's folder, or once it is built.",
        command=command_line("python -m pip install", package_word(package)),
    )


def _ends_a_program(text: str) -> bool:
    """Return whether the line is an exception or a failure; a program that only warns continues without the module."""
    words = set(Words(text).words)
    if words & _OF_KERNEL:
        return False
    return bool(words & {"modulenotfounderror", "importerror"} or (words & _FAILING and not words & _GOING_ON))
