from accel.resolver.typed import typed_pin
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, requirement_word
from accel_tpu.pins import numbers

_INDEX = "-f https://storage.googleapis.com/libtpu-releases/index.html"
_AS_XLA = "pip install \"torch==$(pip show torch_xla | sed -n 's/^Version: \\([0-9.]*[0-9]\\).*/\\1/p')\""
_PACKAGES = ("site-packages", "dist-packages")
_OWN_BUILD = "This torch_xla was compiled here from source: compile it again with the torch that is installed now."
_BUILD = "python setup.py clean && python setup.py develop"
_FIRST_ON_INDEX = (2, 2)
_FIRST_IN_TABLES = (2, 0)
_OLD_WHEELS = "https://storage.googleapis.com/tpu-pytorch/wheels/"


@check(
    code="TP018",
    name="torch-xla-torch-mismatch",
    layer="framework",
    reads=("torch-xla-symbol-missing", "torch-xla-conflict", "torch-xla-named"),
    needs=("package.torch", "package.torch-xla"),
)
def torch_xla_torch_mismatch(facts: Facts, specs: Specs) -> Problems:
    """torch_xla was compiled for another release of torch.

    Why it matters   import torch_xla fails with an undefined symbol.
    What to do       Install torch and torch_xla of one release in one command; the file's name is no package.
    Looks at         symbols that torch_xla's own library _XLAC misses; the versions of torch and torch_xla
    Silent when      both are of one release; the file that misses a symbol is another package's
    Source           pytorch/xla: README; issues 2259, 3127 and 8292
    """
    missing = facts.stated("torch-xla-symbol-missing")
    torch, torch_xla = _version(facts, "torch"), _version(facts, "torch-xla")
    known = torch is not None and torch_xla is not None
    equal = known and numbers(torch or "")[:2] == numbers(torch_xla or "")[:2]
    pinned = facts.stated("torch-xla-conflict")
    if not missing and not pinned and (equal or not known):
        return
    abi = equal and any("cxx11" in fact.text for fact in missing)
    title = "torch_xla was built for a different torch"
    if abi:
        title = f"torch_xla {torch_xla} was built for the other C++ ABI of torch {torch}"
    elif known and not equal:
        title = f"torch_xla {torch_xla} was built for a torch other than {torch}"
    evidence = quoted((*missing, *pinned))
    evidence += tuple(Evidence(fact=n, value=v) for n, v in (("torch", torch), ("torch_xla", torch_xla)) if v)
    yield Problem(title=title, evidence=evidence, remedies=_remedies(facts, specs, torch, torch_xla, bool(abi)))


def _remedies(facts: Facts, specs: Specs, torch: str | None, torch_xla: str | None, abi: bool) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    look = Remedy(
        text="Check which versions are installed.", command="pip show torch torch_xla libtpu", action="env", kind="look"
    )
    text = "Install matching releases of torch and torch_xla in one command"
    if abi:
        text = "Reinstall both from one index, in one command: their wheels must have the same C++ ABI"
    version = torch_xla or torch or typed_pin(facts, ("torch_xla", "torch-xla")).version
    missing = facts.stated("torch-xla-symbol-missing")
    if any("/_XLAC" in fact.text for fact in missing) and not any(p in f.text for f in missing for p in _PACKAGES):
        return (Remedy(text=_OWN_BUILD, command=_BUILD, action="env"), look)
    if version is None:
        return (
            Remedy(text="Install the torch for torch_xla's release.", command=_AS_XLA, action="env"),
            look,
        )
    if numbers(version) < _FIRST_IN_TABLES and not abi:  # their wheels are in a separate folder
        return (_of_old(torch, torch_xla), look)
    release = ".".join(str(number) for number in numbers(version)[:3])
    machine = machine_of(facts, specs, "tpu")
    kept = install(facts, specs, "torch-xla", text=text, on=machine, version=release, again=True)
    unlisted = kept.command is not None and release not in kept.command and numbers(release) >= _FIRST_ON_INDEX
    if kept.command is None or unlisted:  # a release missing in the tables but on the index is kept
        wanted = (requirement_word("torch", release), requirement_word("torch_xla", release, "tpu"))
        kept = Remedy(text=f"{text}.", command=command_line("pip install", *wanted, _INDEX), action="env")
    return (kept, look)


def _of_old(torch: str | None, torch_xla: str | None) -> Remedy:
    """Return the matching pair before 2.0, whose wheels are on no index: the smallest change moves only torch_xla."""
    if torch is None:
        text = f"Install the torch for torch_xla's release, {torch_xla}: the notebook's own torch has been updated."
        wanted = requirement_word("torch", ".".join([str(n) for n in numbers(torch_xla or "")[:2]] + ["0"]))
        return Remedy(text=text, command=command_line("pip install", wanted), action="env")
    release = ".".join(str(n) for n in numbers(torch)[:2])
    text = f"Keep torch {torch}, and use the torch_xla wheel of {release} for this Python, from {_OLD_WHEELS}."
    return Remedy(text=text, action="env")


def _version(facts: Facts, name: str) -> str | None:
    versions = {p.version for p in facts.packages(name) if p.version}
    if not versions and (framework := facts.framework(name)) and framework.version:
        versions = {framework.version.partition("+")[0]}
    return next(iter(versions)) if len(versions) == 1 else None
