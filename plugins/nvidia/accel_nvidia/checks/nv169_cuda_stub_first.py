from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check
from accel.vendors.toolkit.table_steps import fixes


@check(
    code="NV169",
    name="cuda-stub-first",
    layer="framework",
    severity="warning",
    family="cuda-libs-conflict",
    needs=("environment.libraries",),
)
def cuda_stub_first(facts: Facts, specs: Specs) -> Problems:
    """LD_LIBRARY_PATH has a "stubs" folder, with a libcuda without code, before the driver's library.

    Why it matters   Programs that load libcuda.so get CUDA error 34, or find no device.
    What to do       Remove the stubs folder from LD_LIBRARY_PATH; it is only for the linker.
    Looks at         where the loader finds libcuda, first match first
    Silent when      the first match is the driver's, or no match is listed
    Source           CUDA installation guide: stub libraries
    """
    found = facts.libraries("libcuda")
    applies(bool(found), "no libcuda is listed")
    path = found[0].path
    if path is not None and "/stubs/" in path:
        yield Problem(
            title=f"The loader finds the stub {path} before the driver's libcuda",
            evidence=tuple(Evidence(fact="libcuda", value=one.path or "") for one in found[:3]),
            remedies=fixes(specs, "nvidia", "without-stubs"),
        )
