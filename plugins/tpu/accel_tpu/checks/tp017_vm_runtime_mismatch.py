from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, option_word
from accel_tpu.accelerator_type import runtime_fits, runtime_of
from accel_tpu.signs import type_here


@check(
    code="TP017",
    name="tpu-vm-runtime-mismatch",
    layer="driver",
    reads=("tpu-type", "tpu-runtime", "tpu-mentioned"),
    needs=(),
)
def vm_runtime_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The software version of a TPU VM is for another TPU generation.

    Why it matters   The VM starts without device nodes or with an old libtpu: no program finds the TPU.
    What to do       Recreate the VM with its generation's version.
    Looks at         --accelerator-type and --version of its create command, or the fields that Cloud prints
    Silent when      either is unknown, or specs/tpu/accelerator_types.yaml lacks the pair
    Source           Google Cloud: TPU software versions; jax issue 13260
    """
    here = type_here(facts, specs)
    generation = here.generation if here else _named(facts)
    if generation is None:
        return
    for fact in facts.stated("tpu-runtime"):
        version = fact.value("version") or ""
        if runtime_fits(version, generation, specs) is not False:
            continue
        wanted = runtime_of(generation, specs)
        name = here.name if here else generation
        kind = option_word("--accelerator-type", here.name if here else "TYPE")
        yield Problem(
            title=f"{version} does not match a {name}: it needs {wanted}",
            evidence=quoted((fact, *facts.stated("tpu-type"))),
            remedies=(
                Remedy(
                    text="Recreate the TPU VM with the software version for its generation.",
                    command=command_line(
                        "gcloud compute tpus tpu-vm create NAME --zone=ZONE", kind, option_word("--version", wanted)
                    ),
                    action="admin",
                ),
            ),
        )
        return


def _named(facts: Facts) -> str | None:
    """Return the generation that prose names, if it is one."""
    from accel_tpu.generation import generation_of

    found = {generation_of(fact.value("name") or "") for fact in facts.stated("tpu-mentioned")} - {None}
    return next(iter(found)) if len(found) == 1 else None
