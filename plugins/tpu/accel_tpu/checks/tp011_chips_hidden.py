from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need
from accel.vendors.contract.command import command_line, variable_word


@check(
    code="TP011",
    name="tpu-chips-hidden",
    layer="application",
    severity="warning",
    needs=("tpu.devices", "environment.variables"),
)
def chips_hidden(facts: Facts, specs: Specs) -> Problems:
    """TPU_VISIBLE_CHIPS or JAX_PLATFORMS hides chips from new processes.

    Why it matters   A program sees fewer chips than the machine has, or none.
    What to do       Unset or widen the variable, unless it is intended.
    Looks at         the chips after applying the variables
    Silent when      every chip is visible; undecided if the variables are unknown
    Source           libtpu: TPU_VISIBLE_CHIPS; jax: JAX_PLATFORMS
    """
    chips = facts.of("tpu")
    applies(bool(chips), "no chip is known")
    applies(facts.live or facts.variables_known, "the variables are not shown")
    need(facts.variables_known or None, "variables")
    hidden = tuple(device.id for device in chips if device.visible is False)
    if not hidden:
        return
    names = ("TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES", "JAX_PLATFORMS", "JAX_PLATFORM_NAME")
    masks = [(name, value) for name in names if (value := facts.variable(name)) is not None]
    every = len(hidden) == len(chips)
    yield Problem(
        title="Every TPU chip is hidden" if every else f"{len(hidden)} of {len(chips)} TPU chips are hidden",
        devices=hidden,
        evidence=tuple(Evidence(fact=name, value=value) for name, value in masks),
        remedies=(
            Remedy(
                text="Unset the variable, unless this is intended.",
                command=command_line(
                    "unset", *(variable_word(name) for name, _ in masks or [("TPU_VISIBLE_CHIPS", "")])
                ),
            ),
        ),
        severity="warning" if every else "info",
    )
