"""Its readers accept any text: they find their own data, and never raise or invent facts."""

from collections.abc import Iterator, Mapping

from accel.kit.evidence import Evidence, SeenReader, TextTrial
from accel.kit.requirement import Fault, fault, loaded, rule, unless, wants
from accel.kit.requirements.replay import compared
from accel.model.device import Device
from accel.model.merge import merged_devices, merged_driver
from accel.model.to_builtins import plain

_SLOW_SECONDS = 1.0


def _readers(evidence: Evidence) -> tuple[SeenReader, ...]:
    readers = loaded(evidence).readers
    unless(readers, "it registers no reader")
    return readers


@rule("readers-never-raise", "health", "Its readers raise on no text, and are quick")
def readers_never_raise(evidence: Evidence) -> Iterator[Fault]:
    _readers(evidence)
    for ending in evidence.endings:
        if ending.call.startswith("reader "):
            yield fault("reader-does-not-return", where=ending.where, ending=ending)
    for text in evidence.texts:
        for reader, sentence, where in text.raised:
            yield fault("reader-raised", where=where, reader=reader, sentence=sentence, what=_named(text))
        for reader, words in text.odd:
            yield fault("reader-gives-odd", reader=reader, words=words)
        if text.carried:
            yield fault("reader-not-carried", what=_named(text), text=text)
        if text.seconds > _SLOW_SECONDS:
            yield fault("reader-slow", text=text, what=_named(text))


@rule("readers-invent-nothing", "health", "Its readers make no device of a foreign text, nor a new one of a cut text")
def readers_invent_nothing(evidence: Evidence) -> Iterator[Fault]:
    _readers(evidence)
    whole = {t.name: t for t in evidence.texts if t.cut == 1.0 and not t.foreign and t.findings is None}
    for text in evidence.texts:
        devices = _devices(text)
        if text.foreign and devices:
            yield fault("reader-invents-device", readers=", ".join(text.read), devices=devices, text=text)
        elif text.cut < 1.0 and text.name in whole:
            yield from _of_cut(text, devices, {d.id: d for d in _devices(whole[text.name])})


def _of_cut(text: TextTrial, devices: tuple[Device, ...], known: Mapping[str, Device]) -> Iterator[Fault]:
    readers = ", ".join(text.read)
    for device in devices:
        was = known.get(device.id)
        if was is None:
            yield fault("cut-text-new-device", readers=readers, device=device, what=_named(text))
            continue
        for name in ("uuid", "serial", "pci_address", "memory_total_bytes"):
            value, whole = getattr(device, name), getattr(was, name)
            if value is not None and whole is not None and value != whole:
                yield fault(
                    "cut-text-other-value",
                    readers=readers,
                    what=_named(text),
                    name=name,
                    device=device,
                    value=value,
                    whole=whole,
                )


@rule("texts-replayed", "health", "Each reader reads a text of its tool as is expected")
def texts_replayed(evidence: Evidence) -> Iterator[Fault]:
    registered = _readers(evidence)
    shown: set[str] = set()
    for text in evidence.texts:
        if text.foreign or text.cut < 1.0 or text.findings is not None:
            continue
        shown.update(text.read)
        expected = evidence.texts_expected.get(text.name)
        if expected is None:
            continue
        devices = _devices(text)
        yield from compared(devices, expected.devices or (), f"the text {text.name!r}")
        if expected.devices is not None and len(devices) != len(expected.devices):
            yield fault("text-device-count", text=text, count=len(devices), wanted=len(expected.devices))
        driver = plain(merged_driver(text.reports)) or {}
        for fact, value in (expected.driver or {}).items():
            if driver.get(fact) != value:
                yield fault("text-driver-differs", text=text, fact=fact, said=driver.get(fact), value=value)
        said = {gap.fact for report in text.reports for gap in report.gaps}
        for fact in (fact for fact in expected.gaps if fact not in said):
            yield fault("text-gap-missing", text=text, fact=fact, there=", ".join(sorted(said)) or "none")
    missing = [reader.name for reader in registered if reader.name not in shown]
    wants(
        not missing,
        f"no text shows what {', '.join(missing[:6])}{' …' if len(missing) > 6 else ''} reads: put what the tool "
        "prints into texts/NAME.txt of the machines' folder, with NAME.expected.yaml in the same folder",
    )


def _devices(text: TextTrial) -> tuple[Device, ...]:
    from accel.kit.evidence import sound

    return merged_devices(sound(text.reports))[0]


def _named(text: TextTrial) -> str:
    return f"the text {text.name!r}" + (f", cut at {text.cut:.0%}" if text.cut < 1.0 else "")
