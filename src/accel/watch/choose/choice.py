"""Which devices fit together, and why the others do not. Pure, except for calling plugins about masks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, field
from accel.model.device import Device
from accel.model.errors import RequirementUnmet
from accel.watch.choose.fitness import Wanted, asked, free_bytes, gibibytes, less_wanted, misses, options_for
from accel.watch.choose.nearness import Near, furthest
from accel.watch.choose.sets import best_sets

if TYPE_CHECKING:
    from accel.specs import Specs
    from accel.vendors.contract.backend import Mask

_TRIED: Final = 200  # sets for which a mask is requested: a vendor's runtime may accept only some
_FITS: Final = "it fits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Devices for a program, and what restricts it to them.

    devices      of one vendor, in the order in which the program numbers them
    environment  variables to set before the program's runtime starts: {"CUDA_VISIBLE_DEVICES": "GPU-…"}; {} if none are
                 needed
    why          sentences for people about the devices: their free memory, and how closely they are connected
    passed_over  why each other accelerator was not chosen, by its id
    """

    devices: tuple[Device, ...]
    environment: Mapping[str, str]
    why: tuple[str, ...] = ()
    passed_over: Mapping[str, str] = field(default_factory=dict)


Masker = Callable[[Sequence[Device]], "Mask"]


class Candidates:
    """The devices of a machine, each compared with the requirements: the slow part, done before taking the lock."""

    def __init__(
        self, devices: Sequence[Device], wanted: Wanted, *, mask: Masker, near: Near, specs: "Callable[[], Specs]"
    ) -> None:
        self._wanted, self._mask, self._near, self._specs = wanted, mask, near, specs
        self._offered = [device for device in devices if device.kind != "cpu"]
        whys = ((device, self._misses(device, specs)) for device in self._offered)
        self._refused = {device.id: why for device, why in whys if why}
        for group in _groups([device for device in self._offered if device.id not in self._refused]):
            self._refused |= self._hidden(group)

    def choose(self, taken: Mapping[str, str] | None = None) -> Choice:
        """Return the best set of devices that fit. Raises RequirementUnmet, with the reason for each device, if there
        is none.

        taken  ids of devices that somebody has reserved, each with a sentence that says so
        """
        refused = {**(taken or {}), **self._refused}
        best, near = self._best(refused), self._near
        if best is None:
            groups = _groups([device for device in self._offered if device.id not in refused])
            told = (*_nothing(self._wanted, self._offered, refused, groups, self._mask), *self._less(taken or {}))
            raise RequirementUnmet("\n".join(told), reasons={d.id: refused.get(d.id, _FITS) for d in self._offered})
        chosen, environment = best
        ids = {device.id for device in chosen}
        passed = {device.id: refused.get(device.id, _FITS) for device in self._offered if device.id not in ids}
        return Choice(devices=chosen, environment=environment, why=tuple(_why(chosen, near)), passed_over=passed)

    def _best(self, refused: Mapping[str, str]) -> tuple[tuple[Device, ...], Mapping[str, str]] | None:
        """Return the best set of devices without the rejected ones, and its mask."""
        groups = _groups([device for device in self._offered if device.id not in refused])
        sets = (_best(group, self._wanted.count, self._mask, self._near) for group in groups)
        return next(filter(None, sets), None)

    def _less(self, taken: Mapping[str, str]) -> Iterator[str]:
        """Yield the options with which enough devices would fit, if only memory in use or load prevents it."""
        for less in less_wanted(self._wanted):
            others = Candidates(self._offered, less, mask=self._mask, near=self._near, specs=self._specs)
            best = others._best({**taken, **others._refused})
            if best is not None:
                names = ", ".join(device.id for device in best[0])
                yield f"  these would fit with  {options_for(less, self._wanted, best[0])}: {names}"
                return

    def _misses(self, device: Device, specs: "Callable[[], Specs]") -> str:
        """Return why a device does not fit, whoever uses it; "" if it does."""
        divided = any(other.parent == device.id for other in self._offered)
        return "; ".join(misses(self._wanted, device, specs, divided))

    def _hidden(self, group: Sequence[Device]) -> dict[str, str]:
        """Return why certain devices cannot be selected by a mask. They are tested one by one only if no mask selects
        them all.

        A mask is verified against every device of the machine: testing each of hundreds takes seconds.
        """
        if len(group) > 1 and self._mask(group).refused is None:
            return {}
        answers = ((device.id, self._mask((device,)).refused) for device in group)
        return {id_: refused for id_, refused in answers if refused}


def _groups(fit: Sequence[Device]) -> list[list[Device]]:
    """Return groups of one vendor's devices, all whole or all partitions: most memory first, partitions last."""
    groups: dict[tuple[bool, str], list[Device]] = {}
    for device in fit:
        groups.setdefault((not device.is_top_level, device.backend), []).append(device)
    amount = {key: sum(device.memory_total_bytes or 0 for device in group) for key, group in groups.items()}
    return [groups[key] for key in sorted(groups, key=lambda key: (key[0], -amount[key], key[1]))]


def _best(
    group: Sequence[Device], count: int, mask: Masker, near: Near
) -> tuple[tuple[Device, ...], Mapping[str, str]] | None:
    """Return the best set that a mask can select, and the mask."""
    for devices in islice(best_sets(group, count, near), _TRIED):
        answer = mask(devices)
        if answer.refused is None:
            return devices, answer.environment
    return None


def _why(chosen: Sequence[Device], near: Near) -> Iterator[str]:
    for device in chosen:
        free = free_bytes(device)
        told = "" if free is None else f", {gibibytes(free)} free"
        yield f"{device.id}: {device.name or 'unknown name'}{told}"
    if len(chosen) > 1:
        yield f"together: {furthest(chosen, near).means}"


def _nothing(
    wanted: Wanted,
    offered: Sequence[Device],
    refused: Mapping[str, str],
    groups: Sequence[Sequence[Device]],
    mask: Masker,
) -> Iterator[str]:
    """Yield the sentence, and one line per device."""
    if not offered:
        yield "nothing fits: no accelerator was found. Try  accel doctor"
        return
    verb = "is" if len(offered) == 1 else "are"
    here = "" if wanted.count <= len(offered) else f"; there {verb} {len(offered)}"
    yield f"nothing fits: requested {asked(wanted)}{here}"
    width = max(len(device.id) for device in offered)
    for device in offered:
        yield f"  {device.id:{width}}  {refused.get(device.id, _FITS)}"
    enough = [group for group in groups if len(group) >= wanted.count]
    if enough:
        yield f"  these fit individually, but not together: {mask(enough[0][: wanted.count]).refused}"
    elif len(groups) > 1 and sum(map(len, groups)) >= wanted.count:
        yield (
            "  these fit individually, but not together: a program sees devices of one vendor, either whole ones "
            "or parts"
        )
