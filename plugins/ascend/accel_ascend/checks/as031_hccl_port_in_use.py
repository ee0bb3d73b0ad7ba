from collections.abc import Iterator

from accel.model.observation import whole_number
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix

_HOST, _DEVICE, _ANY = "hccl-host-port-taken", "hccl-device-port-taken", "hccl-port-taken"


@check(
    code="AS031",
    name="npu-hccl-port-in-use",
    layer="access",
    family="npu-hccl-problem",
    reads=(_HOST, _DEVICE, _ANY),
    needs=("run.program",),
    requires=("npu-link-down",),
)
def npu_hccl_port_in_use(facts: Facts, specs: Specs) -> Problems:
    """Two programs on one host use the same HCCL port.

    Why it matters   The second job cannot start: EJ0003, EI0019 or EI0020.
    What to do       On the host plane (ports from 60000 on) give this job other ports; on the device plane (16666) give
                     all ranks of the communicator other ports, or end the other job on that NPU.
    Looks at         EJ0003 with its port, EI0019, EI0020, socket type, "listen … port[16666] fail"
    Silent when      EJ0002 precedes it: without a link nothing can listen
    Source           hiascend.com: HCCL error codes, HCCL_HOST_SOCKET_PORT_RANGE, HCCL_NPU_SOCKET_PORT_RANGE
    """
    host, device, either = facts.stated(_HOST), facts.stated(_DEVICE), facts.stated(_ANY)
    told = (*host, *device, *either)
    if not told:
        return
    port = next((value for fact in told if (value := fact.value("port"))), None)
    on_device = bool(device) and not host and not _of_host(port)  # EI0019 occurs on both planes
    plane = "chip's own network" if on_device else "host's network" if host or _of_host(port) else None
    yield Problem(
        title=f"HCCL's port{f' {port}' if port else ''} on the {plane} is used by another program"
        if plane
        else "HCCL's port is used by another program",
        evidence=quoted(told),
        remedies=tuple(_remedies(on_device, plane is None, port, specs)),
    )


def _of_host(port: str | None) -> bool:
    return (whole_number(port) or 0) >= 60000


def _remedies(on_device: bool, unknown: bool, port: str | None, specs: Specs) -> Iterator[Remedy]:
    for_host = fix(specs, "ascend", "free-host-ports")
    for_device = fix(specs, "ascend", "other-device-ports")
    see = Remedy(
        text="Or stop the other job: check which process uses the port.",
        command="npu-smi info" if on_device else command_line("ss -ltnp | grep", number_word(port or 6000)),
    )
    if unknown:
        yield from (for_host, for_device, see)
    else:
        yield from (for_device if on_device else for_host, see)
