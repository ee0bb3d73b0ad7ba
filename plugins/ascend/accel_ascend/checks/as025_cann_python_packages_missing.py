from accel.resolver.installer import pip_install
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import bounded_word, package_word

_ALL = (
    *("attrs", "cython", "decorator", "sympy", "cffi", "pyyaml", "pathlib2", "psutil", "scipy", "requests", "absl-py"),
    *("cloudpickle", "ml-dtypes", "tornado"),
)
_FAILED = ("acl-compile-option-failed", "cann-compile-failed")


@check(
    code="AS025",
    name="npu-cann-python-packages-missing",
    layer="toolkit",
    reads=("cann-compiler-not-started", "cann-python-module-missing", "cann-imports-missing-module", *_FAILED),
    needs=("run.program",),
    requires=("numpy-too-new", "npu-cann-environment-not-set"),
)
def npu_cann_python_packages_missing(facts: Facts, specs: Specs) -> Problems:
    """Python packages required by CANN's compiler are missing in this environment.

    Why it matters   The compiler runs in this Python; without them nothing can be built (EH9999 or 500001).
    What to do       Install CANN's Python requirements in the environment in use.
    Looks at         `init env failed` of EH9999; E40020; such a missing module in a CANN file or with a compiler error
    Silent when      there is no such message; NumPy is too new for CANN, which is another fault
    Source           github.com/Ascend/pytorch/issues/7; CANN installation guide, Python dependencies
    """
    told = facts.stated("cann-compiler-not-started")
    inside = facts.stated("cann-imports-missing-module")
    module = (*inside, *facts.stated("cann-python-module-missing"))
    if not told and not inside and not (module and facts.stated(*_FAILED)):
        return
    named = next((fact.value("name") for fact in module), None)
    yield Problem(
        title=f"CANN's compiler does not start: the Python package {named} is missing"
        if named
        else "CANN's compiler does not start: Python packages are missing",
        evidence=quoted((*told, *module)),
        remedies=(
            Remedy(
                text="Install the packages that CANN's installation guide lists, in the environment in use.",
                command=pip_install(
                    facts, *map(package_word, _ALL), bounded_word("numpy", "<2"), bounded_word("protobuf", "==3.20.*")
                ),
                action="env",
            ),
        ),
    )
