"""`accel serve`: serves readings to Prometheus, programs and browsers."""

import argparse
import os
import sys
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.apps.serve.http import Gate
    from accel.plugins.registry import Registry
    from accel.vendors.contract.metric_names import MetricNames

_PORT: Final = 9835
_LEAST_TOKEN: Final = 16
_NEVER: Final = ("0", "never")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel serve",
        description="Serve readings over HTTP: /metrics for Prometheus, /api/devices, /api/readings, /api/history and "
        "/api/findings as JSON, /healthz, and a live page at /. Read-only: nothing can be changed or ended "
        "through it. It listens on localhost only unless --host is given.",
        epilog="Exit codes: 0 stopped by a signal, 2 it could not serve, or its sampling process ended.",
        allow_abbrev=False,
    )
    it.add_argument(
        "devices",
        nargs="*",
        metavar="DEVICE",
        help="devices as for accel watch (default: every accelerator); all: the CPU too",
    )
    it.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    it.add_argument("--port", type=int, default=_PORT, help=f"port to listen on (default {_PORT})")
    it.add_argument("--interval", "-i", default="1s", metavar="TIME", help="time between readings (default 1s)")
    it.add_argument(
        "--activity",
        action="store_true",
        help="also read how much of the chip is active, where the hardware reports it",
    )
    it.add_argument("--links", action="store_true", help="also read PCIe and link traffic: slow with old drivers")
    add_gate(it)
    it.add_argument("--tls-cert", metavar="FILE", help="certificate chain, PEM: serve HTTPS")
    it.add_argument("--tls-key", metavar="FILE", help="private key, PEM (default: in the same file)")
    it.add_argument("--names", metavar="EXPORTER", help="also publish metrics under the names of this exporter: dcgm")
    it.add_argument("--processes", action="store_true", help="also publish metrics per process: one series each")
    it.add_argument(
        "--findings-interval", default="10m", metavar="TIME", help="time between diagnoses (default 10m); never: none"
    )
    it.add_argument("--otlp", metavar="URL", help="also push the metrics to this OpenTelemetry collector")
    return it


def run(words: list[str]) -> int:
    """Serve until a signal."""
    options = parser().parse_args(words)
    from accel.apps.cli.extras import check_extra

    check_extra("serve", "accel serve", "prometheus_client")
    if options.otlp:
        check_extra("otlp", "accel serve --otlp", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
    if not hasattr(os, "fork"):
        raise BadInput(
            "accel serve needs a system that forks: Linux or macOS. On Windows use  accel watch --jsonl FILE"
        )
    interval_seconds, findings_seconds = _times(options)
    gate = gate_of(options)
    from accel.apps.cli.output import say
    from accel.apps.serve.run import Asked, host_name, listening, serve, tls_context
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.vendors.contract.watching import Wanted
    from accel.watch.sampling.feed import Feed

    if options.tls_key and not options.tls_cert:
        raise BadInput("--tls-key goes with --tls-cert: give both.")
    tls = tls_context(options.tls_cert, options.tls_key) if options.tls_cert else None
    registry = Registry(os.environ, guarded=True)
    names = _names(options.names, registry)
    machine = LiveMachine()
    wanted = Wanted(links=options.links, activity=options.activity)
    with Feed.started(machine, registry, options.devices, interval_seconds=interval_seconds, wanted=wanted) as feed:
        export = None
        if options.otlp:
            from accel.apps.serve.push import Pusher

            export = Pusher(options.otlp, host_name())
        place = f"{options.host}, port {options.port}"
        listener, shown = listening(options.host, options.port, place, "Give another  --port  or  --host")
        from accel.apps.render.units import plural

        def announce() -> None:
            scheme = "http" if tls is None else "https"
            say(f"{plural(len(feed.devices), 'device')} at {scheme}://{shown}/  (Ctrl-C ends it)")
            if gate.token is not None and tls is None and not _is_loopback(options.host):
                say("the token is sent in the clear: add  --tls-cert FILE --tls-key FILE")

        asked = Asked(
            gate=gate,
            names=names,
            host=host_name(),
            processes=options.processes,
            interval_seconds=interval_seconds,
            findings_seconds=findings_seconds,
            tls=tls,
            export=export,
        )
        try:
            serve(machine, feed, listener, asked, announce)
        finally:
            if export is not None:
                export.close()
    return 0


def _times(options: argparse.Namespace) -> tuple[float, float | None]:
    """Return the seconds between readings, and between diagnoses. Raises BadInput."""
    from accel.text.durations import seconds_of

    interval = seconds_of(options.interval)
    if interval is None or not 0.1 <= interval <= 3600:
        raise BadInput(f"--interval {options.interval}: give 100ms to 1h, such as 1s.")
    if options.findings_interval.lower() in _NEVER:
        return interval, None
    findings = seconds_of(options.findings_interval)
    if findings is None or findings < 10:
        raise BadInput(f"--findings-interval {options.findings_interval}: give 10s or more, or never.")
    return interval, findings


def add_gate(it: argparse.ArgumentParser) -> None:
    """Add the access control options."""
    it.add_argument(
        "--token-file", metavar="FILE", help="file whose first line is the bearer token that clients must send"
    )
    it.add_argument("--without-token", action="store_true", help="serve other machines without requiring a token")
    it.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name that browsers may use besides localhost; others are refused",
    )


def gate_of(options: argparse.Namespace) -> "Gate":
    """Return the access control. Raises BadInput if others could connect and the user did not allow it."""
    from accel.apps.serve.http import Gate
    from accel.apps.serve.routes import OPEN

    token = _token(options.token_file) if options.token_file else None
    local = _is_loopback(options.host)
    if not local and token is None and not options.without_token:
        raise BadInput(
            f"--host {options.host} lets other machines in. Give  --token-file FILE  with a token of your own, or "
            "--without-token  where the network keeps others out."
        )
    # A browser on another machine uses the name its user typed, which must be configured here.
    names = {name.lower() for name in options.allow_host}
    if local or names:
        names |= {options.host.lower(), "localhost", "127.0.0.1", "::1"}
    return Gate(token=token, open=OPEN, hosts=frozenset(names) or None)


def _token(path: str) -> bytes:
    """Return the token in a file. Raises BadInput if there is none, or if others may read the file."""
    from accel.machine.outside import read_regular

    try:
        lines = read_regular(path, 1 << 16).decode("utf-8", "replace").splitlines()
        mode = os.stat(path).st_mode
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. Pass a file whose first line is the token.") from None
    token = lines[0].strip() if lines else ""
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable():
        raise BadInput(
            f"{path}: its first line must be a token of {_LEAST_TOKEN} letters and digits or more. Make one:  "
            "openssl rand -hex 24"
        )
    if mode & 0o004:
        print(f"accel: {path} can be read by every user of this machine:  chmod 600 it", file=sys.stderr)
    return token.encode()


def _is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server at this address.

    A hostname that starts like a loopback address may resolve elsewhere, so it does not count.

    >>> _is_loopback("127.0.0.2"), _is_loopback("::1"), _is_loopback("localhost")
    (True, True, True)
    >>> _is_loopback("127.evil.example"), _is_loopback("localhost.corp.example"), _is_loopback("0.0.0.0")
    (False, False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _names(exporter: str | None, registry: "Registry") -> "Sequence[MetricNames]":
    """Return the metric names of that exporter, from every vendor that has them. Raises BadInput if none does."""
    if exporter is None:
        return ()
    every = [names for one in registry.backends for names in getattr(one, "metric_names", ())]
    found = [names for names in every if names.exporter == exporter.lower()]
    if not found:
        here = ", ".join(sorted({names.exporter for names in every})) or "none"
        raise BadInput(f"--names {exporter}: no exporter of this name is known. There are: {here}.")
    return found
