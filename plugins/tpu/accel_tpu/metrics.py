"""Readings of libtpu's metric service, available while a program uses the TPU.

gRPC, localhost:8431 (or the ports of TPU_RUNTIME_METRICS_PORTS), tpu.monitoring.runtime.RuntimeMetricService, method
GetRuntimeMetric. It is queried by a child process, and only if /proc/net/tcp shows that the port is served; the child
needs grpcio, which accel does not require: without it there is a Gap. The child prints one line per value, nothing
else:

    hbm_used 0 1073741824          a JAX device, bytes
    hbm_total 0 33550229504
    duty_cycle 0 98.5              a chip, percent

Seen: tpu-info's tpu_metric_service.proto, 0.4 to 0.14; the attribute of a value is a number, or text in newer libtpu.
"""

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass, field

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_PORT: Final = 8431
_CALL_SECONDS: Final = 0.2
_LISTENS: Final = "0A"  # the state of a listening socket in /proc/net/tcp

# The child's program. Field numbers: response.metric=1; metrics=3; attribute=1, gauge=3; attribute.value=2;
# gauge.as_double=1, as_int=2; attribute value: text=1, number=3.
CHILD: Final = r"""
import struct, sys
try:
    import grpc
except ImportError:
    print("no-grpc")
    sys.exit(0)
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]; at += 1
        value |= (byte & 127) << shift; shift += 7
        if byte < 128:
            return value, at
def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at); value = data[at:at + size]; at += size
        else:
            size = 8 if key & 7 == 1 else 4; value = data[at:at + size]; at += size
        yield key >> 3, value
def first(data, number, missing=b""):
    return next((value for n, value in fields(data) if n == number), missing)
names = (("hbm_used", "tpu.runtime.hbm.memory.usage.bytes"), ("hbm_total", "tpu.runtime.hbm.memory.total.bytes"),
         ("duty_cycle", "tpu.runtime.tensorcore.dutycycle.percent"))
for port in sys.argv[2:]:
    with grpc.insecure_channel("localhost:" + port) as channel:
        ask = channel.unary_unary("/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric",
                                  request_serializer=None, response_deserializer=None)
        for name, metric in names:
            text = metric.encode()
            try:
                answer = ask(b"\x0a" + bytes([len(text)]) + text, timeout=float(sys.argv[1]))
            except grpc.RpcError as error:
                print("failed", name, error.code().name)
                continue
            for number, value in fields(first(answer, 1)):
                if number == 3:
                    where = first(first(value, 1), 2)
                    gauge = first(value, 3)
                    as_double, as_int = first(gauge, 1, None), first(gauge, 2, None)
                    amount = struct.unpack("<d", as_double)[0] if as_double is not None else as_int or 0
                    device = first(where, 1).decode() if first(where, 1) else first(where, 3, 0)
                    print(name, device, amount)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Values by device number (memory) or chip number (duty cycle). reason: why there are none."""

    used_bytes: Mapping[int, int] = field(default_factory=dict)
    total_bytes: Mapping[int, int] = field(default_factory=dict)
    duty_percent: Mapping[int, float] = field(default_factory=dict)
    reason: str | None = None


def read_metrics(machine: "Machine") -> Metrics:
    """Query the metric service, if one is running."""
    ports = [port for port in _ports(machine.environment) if _served(machine, port)]
    if not ports:
        return Metrics(reason="libtpu only serves metrics while a program uses the TPU, and none are served here")
    seconds = 1.5 + 3 * _CALL_SECONDS * len(ports)  # interpreter startup, grpc's import, the calls
    answer = machine.run(
        [sys.executable, "-c", CHILD, str(_CALL_SECONDS), *(str(port) for port in ports)], timeout_seconds=seconds
    )
    if answer.stdout.startswith("no-grpc"):
        return Metrics(reason="libtpu's metric service needs the package grpcio:  pip install grpcio")
    return _parsed(answer.stdout, why=f"libtpu's metric service on port {ports[0]} gave no values")


def _parsed(text: str, why: str) -> Metrics:
    values: dict[str, dict[int, float]] = {"hbm_used": {}, "hbm_total": {}, "duty_cycle": {}}
    for line in text.rpartition("\n")[0].splitlines():  # a last line without a newline may be truncated
        found = re.fullmatch(r"(hbm_used|hbm_total|duty_cycle) (\d+) (\d+(?:\.\d+)?)", line)
        if found:
            values[found[1]][int(found[2])] = float(found[3])
    return Metrics(
        used_bytes={device: int(value) for device, value in values["hbm_used"].items()},
        total_bytes={device: int(value) for device, value in values["hbm_total"].items()},
        duty_percent={chip: value for chip, value in values["duty_cycle"].items() if value <= 100},
        reason=None if any(values.values()) else why,
    )


def _ports(environment: Mapping[str, str]) -> tuple[int, ...]:
    named = re.findall(r"\d{1,5}", environment.get("TPU_RUNTIME_METRICS_PORTS", ""))
    return tuple(int(port) for port in named) or (_PORT,)


def _served(machine: "Machine", port: int) -> bool:
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            text = machine.read(path)
        except OSError:
            continue
        if re.search(rf"^\s*\d+: [0-9A-F]+:{port:04X} [0-9A-F:]+ {_LISTENS} ", text, re.MULTILINE):
            return True
    return False
