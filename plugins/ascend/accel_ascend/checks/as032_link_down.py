from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel_ascend.chip_network import each_chip


@check(
    code="AS032",
    name="npu-link-down",
    layer="hardware",
    family="npu-hccl-problem",
    reads=("hccl-link-down",),
    needs=("run.program",),
)
def npu_link_down(facts: Facts, specs: Specs) -> Problems:
    """A chip's own network port has no link.

    Why it matters   HCCL cannot listen on it, so no multi-node job starts; errors about port 16666 then follow from it.
    What to do       Check that chip's link, optical module and address; then cable, module and switch port.
    Looks at         EJ0002; hccn_tool's link state
    Silent when      there is no such message
    Source           hiascend.com, HCCL error codes; hccn_tool
    """
    told = facts.stated("hccl-link-down")
    if not told:
        return
    npu = next((value for fact in told if (value := fact.value("npu"))), None)
    yield Problem(
        title=f"The network port of NPU {npu} has no link" if npu else "A chip's own network port has no link",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Check the cable and the optical module of that port and of the switch's port, and replace "
                "what is dark or missing; the neighbours' ports show what is normal.",
                action="admin",
            ),
            Remedy(
                text="Check the link, the optical module and the address"
                + (" of that chip." if npu else ", of each chip of the node."),
                command=each_chip(npu, "-link -g", "-optical -g", "-ip -g"),
                action="admin",
                kind="look",
            ),
            Remedy(
                text="If it has no address: set one in its neighbours' network.",
                command=command_line(
                    "hccn_tool -i", number_word(npu) or "CHIP_ID", "-ip -s address ADDRESS netmask NETMASK"
                ),
                action="admin",
            ),
        ),
    )
