from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_tpu.pins import libtpu, numbers


@check(
    code="TP020",
    name="libtpu-sdk-python-incompatible",
    layer="framework",
    reads=("libtpu-sdk-named", "tpu-process-crashed"),
    needs=("run.program",),
)
def libtpu_sdk_python_incompatible(facts: Facts, specs: Specs) -> Problems:
    """tpu-info, or a program that imports libtpu.sdk, crashes in a Python that this libtpu's SDK does not support.

    Why it matters   It is a segmentation fault without a traceback; vLLM and tpu-info import the SDK themselves.
    What to do       Install a newer libtpu and tpu-info, or use Python 3.11.
    Looks at         a crash with libtpu.sdk or tpu-info; the versions of Python and libtpu
    Silent when      nothing crashed; libtpu is newer than 0.0.20; Python is older than 3.12 (3.11 with 0.0.20);
                     undecided if the Python version is unknown
    Source           tpu-info: tpu_info/cli.py; cloud-accelerator-diagnostics issue 8; pytorch/xla pull 9463
    """
    crashed, named = facts.stated("tpu-process-crashed"), facts.stated("libtpu-sdk-named")
    if not crashed or not named:
        return
    has = libtpu(facts)
    if has is not None and numbers(has) > (0, 0, 20):
        return
    python = need(facts.environment.python_version, "the version of Python")
    minor = numbers(python)[:2]
    unfit = minor != (3, 11) if has == "0.0.20" else minor >= (3, 12)
    if not unfit:
        return
    what = f"libtpu {has}" if has else "libtpu up to 0.0.20"
    yield Problem(
        title=f"The SDK in {what} crashes in Python {'.'.join(map(str, minor))}",
        evidence=(
            *quoted((*named[:2], *crashed[:2])),
            Evidence(fact="python", value=python),
            *((Evidence(fact="libtpu", value=has),) if has else ()),
        ),
        remedies=fixes(specs, "tpu", "libtpu-sdk-python-incompatible"),
    )
