"""The container was started without the chips' nodes or the driver's files."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, applies, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import chips, only_on_ascend, said

_BY_HAND = (
    "docker run --device=/dev/davinci0 --device=/dev/davinci_manager --device=/dev/devmm_svm --device=/dev/hisi_hdc "
    "-v /usr/local/Ascend/driver:/usr/local/Ascend/driver:ro -v /usr/local/dcmi:/usr/local/dcmi:ro "
    "-v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi:ro -v /etc/ascend_install.info:/etc/ascend_install.info:ro …"
)


@check(
    code="AS007",
    name="npu-container-without-devices",
    layer="access",
    family="container-without-gpu",
    explained_by=("npu-device-used-elsewhere",),
)
def npu_container_without_devices(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The container was started without the chips' nodes or the driver's files.

    Why it matters   Inside it there is nothing to open: -8005, no libdcmi.so, no npu-smi.
    What to do       Start it with the Ascend container runtime, or with each node and the driver's folders mounted.
    Looks at         whether this is a container; nodes; what npu-smi and the loader say
    Silent when      it is not known to be a container and no library of the driver is missing
    Source           github.com/Ascend/mind-cluster container documents; github.com/gpustack/runtime detector;
                     github.com/Project-HAMi/HAMi/issues/1696
    """
    only_on_ascend(facts)
    library = facts.events("dcmi-library-missing") + tuple(
        event
        for event in facts.events("cann-library-missing")
        if (event.value("library") or "").startswith("libascend_hal")
    )
    events = library
    if facts.host.containerized:
        applies(not chips(facts) or bool(library), "chips are visible in the container")
        events += facts.events("npu-smi-dcmi-failed", "npu-no-node", "npu-node-missing", "npu-smi-missing")
    if not events:
        return
    yield Problem(
        title="The container was started without the Ascend nodes or driver files",
        detail="It needs /dev/davinci<N> of its chips, /dev/davinci_manager, /dev/devmm_svm, /dev/hisi_hdc, and the "
        "driver's folders of the host.",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(
                text="Start it with the Ascend runtime",
                command="docker run --runtime=ascend -e ASCEND_VISIBLE_DEVICES=0 …",
                action="app",
            ),
            Remedy(text="Or give nodes and folders by hand", command=_BY_HAND, action="app"),
        ),
    )
