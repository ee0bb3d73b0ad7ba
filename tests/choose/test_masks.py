"""What each vendor's plugin is told to set, so that a program is shown certain devices alone."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from accel.model.device import Device
from accel.plugins.registry import Registry
from accel.vendors.contract.backend import Mask
from accel.watch.choose.picking import masker


@cache
def registry() -> Registry:
    return Registry({})


def devices(vendor: str, each: Sequence[Mapping[str, Any]]) -> list[Device]:
    backend = registry().backend(vendor)
    assert backend is not None
    return [
        backend.device_type(
            **{"id": f"{vendor}:{n}", "index": n, "backend": vendor, "vendor": vendor, "kind": "gpu", **facts}
        )
        for n, facts in enumerate(each)
    ]


ALIKE = [{"name": "A", "uuid": f"GPU-{n}{n}", "pci_address": f"0000:0{n}:00.0"} for n in range(4)]
UNLIKE = [{**facts, "name": f"board {n}"} for n, facts in enumerate(ALIKE)]
NAMELESS = [{**facts, "uuid": None} for facts in ALIKE]
KFD = [{"uuid": f"GPU-{n}{n}", "node_id": 7 - n} for n in range(4)]  # HIP's order is the other way round
NO_KFD = [{"uuid": f"GPU-{n}{n}"} for n in range(4)]
CHIPS = [{"logic_id": n, "name": "910B3", "memory_total_bytes": 1 << 36} for n in range(4)]
CARDS = [{"module_id": 7 - n} for n in range(4)]
CARDS_UNSEEN = [{} for _ in range(4)]
XPUS = [{"pci_id": "8086:0bd5", "tiles": 1} for _ in range(4)]
TILED = [{"pci_id": "8086:0bd5", "tiles": 2} for _ in range(4)]
TRAINIUM = [{"core_count": 2} for _ in range(4)]
V4 = [{"architecture": "v4", "devices_per_chip": 1} for _ in range(4)]
V5E = [{"architecture": "v5e", "devices_per_chip": 1} for _ in range(8)]
V7X = [{"architecture": "v7x", "devices_per_chip": 2} for _ in range(4)]
GPUS = [{} for _ in range(4)]
MIG = [
    {"name": "A", "uuid": "GPU-00", "pci_address": "0000:00:00.0", "mig_mode": "enabled"},
    {"id": "nvidia:0/mig0", "index": 0, "uuid": "MIG-aa", "parent": "nvidia:0"},
    {"id": "nvidia:0/mig1", "index": 1, "uuid": "MIG-bb", "parent": "nvidia:0"},
    {"id": "nvidia:1", "index": 1, "name": "A", "uuid": "GPU-11", "pci_address": "0000:01:00.0"},
]
EMPTY_MIG = [{"name": "A", "uuid": "GPU-00", "mig_mode": "enabled"}]

TOLD: list[tuple[str, list[dict[str, Any]], str, list[int], dict[str, str]]] = [
    # vendor, its devices, the masks that are set, the places of the chosen, what is to be set
    ("nvidia", ALIKE, "", [1, 3], {"CUDA_VISIBLE_DEVICES": "GPU-11,GPU-33"}),
    ("nvidia", ALIKE, "CUDA_VISIBLE_DEVICES=3,1", [3], {"CUDA_VISIBLE_DEVICES": "GPU-33"}),
    ("nvidia", UNLIKE, "", [2], {"CUDA_VISIBLE_DEVICES": "GPU-22"}),
    ("nvidia", UNLIKE, "CUDA_VISIBLE_DEVICES=GPU-2,GPU-3", [2], {"CUDA_VISIBLE_DEVICES": "GPU-22"}),
    ("nvidia", UNLIKE, "CUDA_VISIBLE_DEVICES=2 CUDA_DEVICE_ORDER=PCI_BUS_ID", [2], {"CUDA_VISIBLE_DEVICES": "GPU-22"}),
    ("nvidia", NAMELESS, "", [1, 3], {"CUDA_VISIBLE_DEVICES": "1,3"}),
    ("nvidia", MIG, "", [1], {"CUDA_VISIBLE_DEVICES": "MIG-aa"}),
    ("nvidia", MIG, "", [2], {"CUDA_VISIBLE_DEVICES": "MIG-bb"}),
    ("nvidia", MIG, "CUDA_VISIBLE_DEVICES=MIG-aa,MIG-bb", [2], {"CUDA_VISIBLE_DEVICES": "MIG-bb"}),
    ("nvidia", MIG, "", [3], {"CUDA_VISIBLE_DEVICES": "GPU-11"}),
    ("amd", KFD, "", [0, 1], {"HIP_VISIBLE_DEVICES": "3,2"}),
    ("amd", KFD, "ROCR_VISIBLE_DEVICES=0,2", [1, 3], {"HIP_VISIBLE_DEVICES": "1,0"}),
    ("amd", KFD, "CUDA_VISIBLE_DEVICES=0,1", [2], {"CUDA_VISIBLE_DEVICES": "1"}),
    ("amd", KFD, "HIP_VISIBLE_DEVICES=3 CUDA_VISIBLE_DEVICES=0,1", [0], {"HIP_VISIBLE_DEVICES": "3"}),
    ("amd", NO_KFD, "", [2], {"ROCR_VISIBLE_DEVICES": "GPU-22"}),
    ("amd", NO_KFD, "ROCR_VISIBLE_DEVICES=GPU-33,GPU-22", [2], {"HIP_VISIBLE_DEVICES": "1"}),
    ("ascend", CHIPS, "", [3, 1], {"ASCEND_RT_VISIBLE_DEVICES": "3,1"}),
    ("ascend", CHIPS, "ASCEND_RT_VISIBLE_DEVICES=2,3", [3], {"ASCEND_RT_VISIBLE_DEVICES": "3"}),
    ("gaudi", CARDS, "", [0, 1], {"HABANA_VISIBLE_MODULES": "7,6"}),
    ("gaudi", CARDS, "HABANA_VISIBLE_MODULES=4,5", [2], {"HABANA_VISIBLE_MODULES": "5"}),
    ("intel", XPUS, "", [0, 2], {"ZE_AFFINITY_MASK": "0,2"}),
    ("intel", XPUS, "ZE_AFFINITY_MASK=1.0,3", [1], {"ZE_AFFINITY_MASK": "1.0"}),
    ("intel", XPUS, "ONEAPI_DEVICE_SELECTOR=level_zero:gpu", [1], {"ZE_AFFINITY_MASK": "1"}),
    ("intel", TILED, "ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE", [1], {"ZE_AFFINITY_MASK": "1"}),
    ("neuron", TRAINIUM, "", [1, 2], {"NEURON_RT_VISIBLE_CORES": "2,3,4,5"}),
    ("neuron", TRAINIUM, "NEURON_RT_VISIBLE_CORES=1-2", [1], {"NEURON_RT_VISIBLE_CORES": "2"}),
    ("tpu", V4, "", [0, 1, 2, 3], {}),
    *(
        ("tpu", chips, "", [2], {"TPU_VISIBLE_CHIPS": "2", **bounds})
        for chips in (V4, V5E)
        for bounds in ({"TPU_CHIPS_PER_PROCESS_BOUNDS": "1,1,1", "TPU_PROCESS_BOUNDS": "1,1,1"},)
    ),
    (
        *("tpu", V4, "TPU_VISIBLE_DEVICES=2,3,0", [2, 3]),
        {
            "TPU_VISIBLE_DEVICES": "2,3",
            "TPU_CHIPS_PER_PROCESS_BOUNDS": "1,2,1",
            "TPU_PROCESS_BOUNDS": "1,1,1",
        },
    ),
    ("tpu", V7X, "", [0, 1, 2, 3], {}),
    ("apple", GPUS[:1], "", [0], {}),
    ("hygon", GPUS, "", [1, 3], {"ROCR_VISIBLE_DEVICES": "1,3"}),
    ("hygon", GPUS, "ROCR_VISIBLE_DEVICES=1,3", [3], {"ROCR_VISIBLE_DEVICES": "3"}),
    ("hygon", GPUS, "ROCR_VISIBLE_DEVICES=1,3 CUDA_VISIBLE_DEVICES=0,1", [3], {"CUDA_VISIBLE_DEVICES": "1"}),
    ("cambricon", GPUS, "", [2], {"MLU_VISIBLE_DEVICES": "2"}),
    (
        "kunlun",
        GPUS,
        "XPU_VISIBLE_DEVICES=1,2 CUDA_VISIBLE_DEVICES=1,2",
        [2],
        dict.fromkeys(("XPU_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"), "2"),
    ),
    ("mthreads", GPUS, "", [0], {"MUSA_VISIBLE_DEVICES": "0"}),
]
REFUSED: list[tuple[str, list[dict[str, Any]], str, list[int], str]] = [
    ("nvidia", ALIKE, "CUDA_VISIBLE_DEVICES=0,1", [2], "CUDA_VISIBLE_DEVICES=0,1 hides it"),
    ("nvidia", ALIKE, "CUDA_VISIBLE_DEVICES=", [2], "CUDA_VISIBLE_DEVICES= hides it"),
    ("nvidia", UNLIKE, "CUDA_VISIBLE_DEVICES=0", [0], "set CUDA_DEVICE_ORDER=PCI_BUS_ID"),
    ("nvidia", [{**facts, "uuid": None} for facts in UNLIKE], "", [0], "its uuid is not known"),
    ("nvidia", MIG, "", [1, 2], "CUDA shows a program one MIG instance"),
    ("nvidia", MIG, "", [1, 3], "CUDA shows a program one MIG instance"),
    ("nvidia", MIG, "CUDA_VISIBLE_DEVICES=1", [1], "CUDA_VISIBLE_DEVICES=1 hides it"),
    ("nvidia", EMPTY_MIG, "", [0], "it is in MIG mode, but has no MIG instance"),
    ("amd", KFD, "ROCR_VISIBLE_DEVICES=0,2 HIP_VISIBLE_DEVICES=0", [1], "HIP_VISIBLE_DEVICES=0 hides it"),
    ("amd", NO_KFD, "HIP_VISIBLE_DEVICES=1", [1], "counts in an order that is not known"),
    ("amd", [{} for _ in range(2)], "", [1], "no mask names it for certain"),
    ("ascend", CHIPS, "ASCEND_RT_VISIBLE_DEVICES=2", [3], "ASCEND_RT_VISIBLE_DEVICES=2 hides it"),
    ("ascend", [{} for _ in range(2)], "", [1], "the list of chips is incomplete"),
    ("gaudi", CARDS_UNSEEN, "", [0], "its module id is unknown"),
    ("gaudi", CARDS, "HABANA_VISIBLE_MODULES=4", [0], "HABANA_VISIBLE_MODULES=4 hides it"),
    ("gaudi", CARDS, "HABANA_VISIBLE_MODULES=some", [0], "is no list of module ids"),
    ("intel", TILED, "", [1], "ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE"),
    ("intel", XPUS, "ZE_AFFINITY_MASK=0", [1], "ZE_AFFINITY_MASK=0 hides it"),
    ("intel", XPUS, "ONEAPI_DEVICE_SELECTOR=level_zero:0,1", [1], "that only Level Zero knows"),
    ("intel", [{"pci_id": f"8086:000{n}"} for n in range(2)], "", [1], "its number among unlike GPUs"),
    ("neuron", TRAINIUM, "NEURON_RT_VISIBLE_CORES=0-1", [1], "NEURON_RT_VISIBLE_CORES=0-1 hides it"),
    ("neuron", [{} for _ in range(2)], "", [1], "cores are not known"),
    ("tpu", V4, "", [1, 2], "one chip, a pair of neighbours"),
    ("tpu", V5E, "", [0, 1], "one chip, a pair of neighbours"),
    ("tpu", V7X, "", [0], "is not known"),
    ("tpu", V4, "TPU_VISIBLE_CHIPS=0", [1], "TPU_VISIBLE_CHIPS=0 hides it"),
    ("tpu", V4, "JAX_PLATFORMS=cpu", [1], "JAX_PLATFORMS=cpu hides it"),
    ("apple", GPUS[:2], "", [0], "all devices or none"),
    ("hygon", GPUS, "HIP_VISIBLE_DEVICES=0", [1], "HIP_VISIBLE_DEVICES=0 hides it"),
    ("hygon", GPUS, "HIP_VISIBLE_DEVICES=first", [1], "cannot be followed"),
    ("kunlun", GPUS, "XPU_VISIBLE_DEVICES=1 CUDA_VISIBLE_DEVICES=2", [1], "cannot be followed"),
    ("cambricon", [{"index": 2}, {"index": 3}], "", [0], "not every device of the machine is listed"),
]


def asked(vendor: str, each: list[dict[str, Any]], set_already: str, places: list[int]) -> Mask:
    known = devices(vendor, each)
    variables = dict(word.split("=", 1) for word in set_already.split())
    return masker(known, registry(), variables)([known[place] for place in places])


@pytest.mark.parametrize(("vendor", "each", "set_already", "places", "told"), TOLD)
def test_what_is_set_shows_the_chosen_devices_alone(
    vendor: str, each: list[dict[str, Any]], set_already: str, places: list[int], told: dict[str, str]
) -> None:
    answer = asked(vendor, each, set_already, places)  # which the plugin itself has read back
    assert (answer.refused, answer.environment) == (None, told)


@pytest.mark.parametrize(("vendor", "each", "set_already", "places", "words"), REFUSED)
def test_what_a_mask_hides_or_no_mask_can_say_is_refused(
    vendor: str, each: list[dict[str, Any]], set_already: str, places: list[int], words: str
) -> None:
    answer = asked(vendor, each, set_already, places)
    assert words in (answer.refused or "")
    assert answer.environment == {}


@pytest.mark.parametrize(
    ("vendor", "each"),
    [("nvidia", ALIKE), ("amd", KFD), ("ascend", CHIPS), ("intel", XPUS), ("neuron", TRAINIUM), ("hygon", GPUS)],
)
def test_every_set_of_devices_can_be_shown_and_narrowed_again(vendor: str, each: list[dict[str, Any]]) -> None:
    known = devices(vendor, each)
    for count in (1, 2, 3):
        for outer in combinations(known, count):
            first = masker(known, registry(), {})(outer)
            assert first.refused is None
            for one in known:
                narrowed = masker(known, registry(), first.environment)((one,))
                assert (narrowed.refused is None) == (one in outer)


def test_a_plugin_that_tells_no_mask_or_breaks_or_shows_others_is_not_offered() -> None:
    class Silent:
        name = "acme"

    class Broken(Silent):
        def mask(self, *given: object) -> Mask:
            raise RuntimeError("no")

    class Wrong(Silent):
        def mask(self, *given: object) -> Mask:
            return Mask(environment={"ACME": "1"})

        def visible(self, known: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
            return known

    class OneBackend:
        def __init__(self, backend: object) -> None:
            self._backend = backend

        def backend(self, name: str) -> Any:
            return self._backend

    one = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", visible=False)
    for backend, words in ((Silent(), "does not say"), (Broken(), "RuntimeError: no"), (Wrong(), "(ACME=1)")):
        registry: Any = OneBackend(backend)
        assert words in (masker([one], registry, {})((one,)).refused or "")
