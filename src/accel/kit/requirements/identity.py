"""Every device has a unique id in the common format, and the same one when asked again."""

from collections import Counter
from collections.abc import Iterator

from accel.kit.evidence import Evidence
from accel.kit.requirement import Fault, backend_of, fault, rule, wants
from accel.model.device import Device


@rule("device-ids", "discover", "Every device has an id, an index and names that no other device has")
def device_ids(evidence: Evidence) -> Iterator[Fault]:
    name = backend_of(evidence)
    seen = 0
    for kit_run in evidence.kit_runs:
        for report in kit_run.reports():
            devices = [d for d in report.devices if isinstance(d, Device)]
            seen += len(devices)
            where = f"the report {report.source!r}"
            if report.backend != name:
                yield fault("other-backend-name", place=where, report=report, name=name)
            for device in devices:
                if not str(device.id).startswith(f"{name}:") or device.backend != name:
                    yield fault("device-id-form", place=where, device=device, name=name)
                elif isinstance(device.index, int) and device.index < 0:
                    yield fault("negative-index", device=device)
            yield from _twice(devices, where)
        ids = {d.id for d in kit_run.devices()}
        for device in kit_run.devices():
            if not device.is_top_level and device.parent not in ids:
                yield fault("parent-not-listed", device=device)
            elif device.is_top_level and device.parent in ids:
                yield fault("partition-id-form", device=device)
    wants(seen, "it gave no device: record a machine that has one, see docs/conformance.md")


def _twice(devices: list[Device], where: str) -> Iterator[Fault]:
    for name in ("id", "uuid", "serial"):
        if name == "serial":  # two chips of one card share it, so compare serial and address together
            values = [(d.serial, d.pci_address) for d in devices if d.serial and d.pci_address and d.is_top_level]
            given = Counter(values)
            repeated = [
                str(value[0]) for value, count in given.items() if count > 1 and len({d.uuid for d in devices}) == 1
            ]
        else:
            repeated = [
                v for v, count in Counter(getattr(d, name) for d in devices).items() if count > 1 and v is not None
            ]
        for value in repeated:
            yield fault("same-value-twice", place=where, name=name, value=value)


@rule("stable-ids", "discover", "Asked twice, it gives the same devices in the same order")
def stable_ids(evidence: Evidence) -> Iterator[Fault]:
    backend_of(evidence)
    compared = 0
    for kit_run in evidence.kit_runs:
        first = _row(kit_run.reports("probe"))
        for call in ("probe again", "probe for devices", "probe in a fork"):
            answer = kit_run.answer(call)
            if answer is None or answer.raised or not isinstance(answer.value, tuple):
                continue
            second = list(answer.value) if call == "probe in a fork" else _row(kit_run.reports(call))
            mine = [d.id for d in kit_run.devices()] if call == "probe in a fork" else first
            if call == "probe for devices":
                mine, second = sorted(set(mine)), sorted(set(second))
            compared += len(mine)
            if mine != second:
                yield fault("other-devices-again", answer=answer, again=_list(second), first=_list(mine))
        again = kit_run.answer("probe again")
        if again and again.value is not None:
            for before, after in zip(kit_run.devices("probe"), kit_run.devices("probe again"), strict=False):
                for name in ("uuid", "serial", "pci_address", "name", "memory_total_bytes"):
                    if getattr(before, name) != getattr(after, name):
                        yield fault(
                            "identity-changed",
                            name=name,
                            before=before,
                            was=getattr(before, name),
                            now=getattr(after, name),
                        )
    wants(compared, "it gave no device: record a machine that has one, see docs/conformance.md")


def _row(reports: object) -> list[str]:
    assert isinstance(reports, tuple)
    return [d.id for report in reports for d in report.devices if isinstance(d, Device)]


def _list(ids: list[str]) -> str:
    return ", ".join(map(str, ids[:4])) + (" …" if len(ids) > 4 else "") if ids else "no device"
