from accel.facts.containers import CONTAINER, KUBERNETES, container_options, in_container, is_kubernetes
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.accelerator_type import nodes_of
from accel_tpu.signs import hosts_here, tpu_seen, type_here

_GIVES_NODES = ("--privileged", "--device=/dev/accel", "--device=/dev/vfio", "-v=/dev:", "--volume=/dev:")
_FAILED = (
    "tpu-backend-raised",
    "tpu-backend-failed",
    "jax-fell-back",
    "tpu-seen-without-libtpu",
    "torch-xla-not-configured",
)


@check(
    code="TP013",
    name="tpu-container-without-devices",
    layer="access",
    family="container-without-gpu",
    reads=(
        *("tpu-topology-unknown", "tpu-node-missing", "tpu-node-not-permitted"),
        *("tpu-local-service-unreachable", "container-on-host-network"),
        *(*CONTAINER, KUBERNETES, "tpu-type", "tpu-one-host", "tpu-in-use", "tpu-node-busy", *_FAILED),
    ),
    needs=("use.jax|torch-xla",),
    requires=("tpu-process-env-incomplete",),
    explained_by=("tpu-vm-runtime-mismatch",),
)
def container_without_devices(facts: Facts, specs: Specs) -> Problems:
    """A container or a sandbox was started without the TPU's device nodes.

    Why it matters   libtpu finds no chip, or fewer than the machine type has, and fails to initialize.
    What to do       Pass every node (/dev/accelN, or /dev/vfio with all its groups), or run it privileged.
    Looks at         the container's start command; nodes missing inside; "Failed to get global TPU topology" on a
                     single-host type, which waits for no other; a local port that libtpu cannot reach from a container
    Silent when      the command passes the nodes; a process holds them; the slice has several hosts
    Source           marin-community/marin issue 3737 and pull 3871; docker run: --device, --privileged
    """
    if facts.live or facts.stated("tpu-in-use", "tpu-node-busy"):
        return
    given, contained = _nodes_given(facts), in_container(facts) or is_kubernetes(facts)
    topology = facts.stated("tpu-topology-unknown")
    apart = facts.stated("tpu-local-service-unreachable")
    if apart and contained and not facts.stated("container-on-host-network"):
        yield Problem(
            title="The container has its own network, but libtpu requests a port of the TPU VM itself",
            evidence=quoted((*apart[:2], *facts.stated("container-run", "tpu-type"))),
            remedies=(fix(specs, "tpu", "host-network"), fix(specs, "tpu", "variables-inside")),
        )
        return
    if given:
        return
    said: list[Fact] = []
    if topology and hosts_here(facts, specs) == 1:
        said += topology
    if contained and tpu_seen(facts):
        said += facts.stated("tpu-node-missing")
        said += facts.stated("tpu-node-not-permitted") if given is False else ()
    if given is False and tpu_seen(facts) and not topology and not facts.stated("libtpu-not-found"):
        said += facts.stated(*_FAILED)
    if not said:
        return
    here = type_here(facts, specs)
    where = "The container" if contained else "This process, if it runs in a container,"
    detail = (
        (f"A {here.name} is a single host, so libtpu is not waiting for others: it lacks chips here.")
        if here and topology
        else None
    )
    yield Problem(
        title=f"{where} lacks the TPU's device nodes: they were not passed to it",
        detail=detail,
        evidence=quoted((*said, *facts.stated("container-run", "tpu-type"))),
        remedies=(
            _remedy(facts, nodes_of(here.generation, specs) if here else None),
            fix(specs, "tpu", "variables-inside"),
        ),
    )


def _nodes_given(facts: Facts) -> bool | None:
    """Return whether the container's start command passes TPU nodes; None if no command is shown."""
    options = container_options(facts)
    return None if options is None else any(given in options.lower() for given in _GIVES_NODES)


def _remedy(facts: Facts, nodes: str | None) -> Remedy:
    given = "--privileged"
    if nodes == "/dev/accel*":
        given = "--device=/dev/accel0 --device=/dev/accel1 --device=/dev/accel2 --device=/dev/accel3"
    elif nodes is not None:
        given = "--device=/dev/vfio"
    return Remedy(
        text="Pass every device node when you start the container, and use the host's network.",
        command=command_line("docker run", given, "--net=host", "IMAGE"),
        action="env",
    )
