"""A library's adapter over accel's public names asks 34 questions on eight machines; each has its right answer."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import accel
import accel.testing
from accel.specs.store import parse

TOLD = parse(str(Path(__file__).parent / "answers.yaml"))
QUESTIONS: dict[str, list[Any]] = TOLD["questions"]
UNKNOWN = "?"


class Adapter:
    """What a library would keep of a machine. Nothing here is another module's than accel's own."""

    def __init__(self) -> None:
        self.platform = accel.platform()
        self.first = self.platform.devices[0]
        self.chip = accel.spec(self.first)
        self.topology = accel.topology()
        self.pair = [device for device in self.topology.devices_named() if device.backend == self.first.backend][:2]
        if self.first.is_partition:
            self.pair = [device for device in accel.accelerators() if device.is_partition][:2]

    def spec(self, field: str) -> Any:
        value = getattr(self.chip, field)
        assert value is not None or any(gap.fact == field for gap in self.chip.gaps), f"no reason for {field}"
        return value

    def joined(self) -> Any:
        return self.topology.link(*self.pair)

    def fp8_form(self) -> str:
        forms = [name for name in ("e4m3fn", "e4m3fnuz") if accel.supports(self.first, f"fp8_{name}", "matrix")]
        return forms[0] if forms else "none"

    def free_fits(self) -> bool | None:
        now = accel.memory(self.first.id)
        return None if now.free_bytes is None or now.total_bytes is None else 0 < now.free_bytes <= now.total_bytes

    def found_by_uuid(self) -> bool | None:
        """Say whether a mask with the first device's uuid shows it alone; None: it has none, or masks take none."""
        if self.first.uuid is None or self.platform.mask_variable is None:
            return None
        shown = accel.visible({self.platform.mask_variable: self.first.uuid})
        return True if [d.id for d in shown if d.visible] == [self.first.id] else None

    def masked(self) -> int:
        shown = accel.visible({self.platform.mask_variable or "": "1"})
        return len([device for device in shown if device.visible])

    def driver(self, field: str) -> Any:
        found = accel.driver(self.platform.backend)
        return None if found is None else getattr(found, field)


ASK: dict[str, Callable[[Adapter], Any]] = {
    "count": lambda a: len(a.platform.devices),
    "count_masked_by_number": Adapter.masked,
    "found_by_its_uuid": Adapter.found_by_uuid,
    "ordinal_of_the_last": lambda a: a.platform.devices[-1].ordinal,
    "device_type": lambda a: a.platform.device_type,
    "collectives": lambda a: a.platform.collectives,
    "name": lambda a: a.first.name,
    "keys_are_unlike": lambda a: len({d.key for d in a.platform.devices}) == len(a.platform.devices),
    "pci_address": lambda a: a.first.pci_address,
    "memory_total": lambda a: a.first.memory_total_bytes,
    "memory_free_fits": Adapter.free_fits,
    "unified": lambda a: a.first.unified_memory,
    "capability": lambda a: None if a.first.capability is None else [*a.first.capability],
    "target": lambda a: a.first.target,
    "architecture": lambda a: a.first.architecture,
    "bf16": lambda a: accel.supports(a.first, "bf16"),
    "fp16": lambda a: accel.supports(a.first, "fp16"),
    "fp8_in_matrix_units": lambda a: accel.supports(a.first, "fp8", "matrix"),
    "fp4_in_matrix_units": lambda a: accel.supports(a.first, "nvfp4", "matrix"),
    "fp8_form": Adapter.fp8_form,
    "peak_bf16": lambda a: a.chip.peak_flops("bf16"),
    "memory_bandwidth": lambda a: a.spec("memory_bandwidth_bytes_per_second"),
    "tdp": lambda a: a.spec("tdp_watts"),
    "multiprocessors": lambda a: a.spec("multiprocessors"),
    "l2_cache": lambda a: a.spec("l2_cache_bytes"),
    "warp_size": lambda a: a.spec("warp_size"),
    "shared_memory_optin": lambda a: a.spec("shared_memory_per_block_optin_bytes"),
    "fully_connected": lambda a: a.topology.fully_connected(a.platform.devices),
    "peer_to_peer": lambda a: a.topology.p2p(*a.pair).allowed,
    "link_bytes_per_second": lambda a: a.joined().bytes_per_second,
    "cpus_of_the_first": lambda a: a.topology.numa(a.first).cpus[0],
    "driver": lambda a: a.driver("version"),
    "toolkit": lambda a: a.driver("toolkit_version"),
    "mask_variable": lambda a: a.platform.mask_variable,
}


def is_right(answer: Any, expected: Any) -> bool:
    if expected == UNKNOWN:
        return answer is None
    if isinstance(expected, float) or (isinstance(expected, int) and not isinstance(expected, bool) and expected > 99):
        return answer is not None and math.isclose(answer, expected, rel_tol=0.02)
    return bool(answer == expected)


def test_there_are_thirty_four_questions_and_an_answer_to_each_on_every_machine() -> None:
    assert [*ASK] == [*QUESTIONS]
    assert len(ASK) == 34
    assert {len(answers) for answers in QUESTIONS.values()} == {len(TOLD["machines"])}


@pytest.mark.parametrize("name", TOLD["machines"])
def test_a_library_is_answered_by_the_public_names_alone(name: str) -> None:
    column = TOLD["machines"].index(name)
    with accel.testing.machine(name):
        adapter = Adapter()
        answers = {question: ask(adapter) for question, ask in ASK.items()}
        unexplained = [
            what
            for what, value, reason in (
                ("link", adapter.joined().bytes_per_second, adapter.joined().reason)
                if len(adapter.pair) > 1
                else ("", 1, ""),
                ("p2p", None, adapter.topology.p2p(*adapter.pair).reason),
            )
            if value is None and not reason
        ]
    wrong = {q: (a, QUESTIONS[q][column]) for q, a in answers.items() if not is_right(a, QUESTIONS[q][column])}
    assert wrong == {}
    assert unexplained == []


def test_a_name_that_two_vendors_runtimes_have_is_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    with accel.testing.machine("mixed"):
        for ask in (accel.device, accel.device_of):
            with pytest.raises(accel.NoSuchDevice, match="amd:0, nvidia:0"):
                ask("cuda:0")
        assert accel.device_of("cuda:1").id == "nvidia:1"
        for version, found in ({"hip": "6.4", "cuda": None}, "amd:0"), ({"hip": None, "cuda": "12.8"}, "nvidia:0"):
            monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(version=SimpleNamespace(**version)))
            assert accel.device_of("cuda:0").id == found
        platforms = [accel.platform(vendor) for vendor in ("nvidia", "amd")]
        assert [(one.device_type, one.others) for one in platforms] == [("cuda", ("amd",)), ("cuda", ("nvidia",))]


UNKNOWN_WORDS: dict[str, Callable[[accel.Device], Any]] = {
    "Near it are bf16": lambda device: accel.supports(device, "bf61"),
    "Near it are fp6": lambda device: accel.spec(device).peak_flops("float61"),
    "Did you mean 'nvidia'": lambda _: accel.driver("nvidai"),
    "Did you mean 'amd'": lambda _: accel.mask_variable("amdd"),
    "Did you mean 'intel'": lambda _: accel.platform("intl"),
    "Did you mean 'ascend'": lambda _: accel.require(vendor="ascent"),
}


@pytest.mark.parametrize("near", UNKNOWN_WORDS)
def test_an_unknown_word_is_bad_input_that_names_the_nearest(near: str) -> None:
    with accel.testing.machine("8xH100"), pytest.raises(accel.BadInput, match=near):
        UNKNOWN_WORDS[near](accel.accelerators()[0])


def test_a_device_that_vanished_or_is_of_another_host_is_no_such_device() -> None:
    with accel.testing.machine("8xH100"):
        foreign = accel.accelerators()[0]
    with accel.testing.machine("ascend-910b-8") as m:
        before, held = accel.accelerators()[3], accel.snapshot()
        m.lose("ascend:3")
        for ask in (
            lambda: accel.memory("ascend:3"),
            lambda: accel.topology().link(before, "ascend:0"),
            lambda: accel.topology().numa(foreign),
            lambda: accel.topology(held).p2p(foreign, "ascend:0"),
        ):
            with pytest.raises(accel.NoSuchDevice, match="There are: ascend:0"):
                ask()
        assert accel.topology(held).link(before, "ascend:0").fabric is True  # of the machine as it was


@pytest.mark.parametrize("mask", ["99", "GPU-ffffffff", "nonsense", "-1", "8,9"])
def test_a_mask_that_names_nothing_shows_nothing(mask: str) -> None:
    with accel.testing.machine("8xH100"):
        assert accel.visible({"CUDA_VISIBLE_DEVICES": mask}) == ()
    with accel.testing.machine("8xH100", environment={"CUDA_VISIBLE_DEVICES": mask}):
        chosen = accel.platform()
        assert (chosen.device_type, "masks hide nvidia:0" in chosen.why) == ("cpu", True)
