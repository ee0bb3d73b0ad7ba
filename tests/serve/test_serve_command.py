"""`accel serve` as a program: what it serves, to whom, and how it ends."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main

pytest.importorskip("prometheus_client")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
PLUGIN = Path(__file__).parent / "served_plugin.py"
FILES = Path(__file__).parents[2] / "src" / "accel" / "apps" / "serve"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "accel_acme.py").write_text(PLUGIN.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("ACCEL_PLUGINS", "accel_acme")
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    return tmp_path


@pytest.fixture
def serving(acme: Path) -> Iterator[Callable[..., tuple[str, subprocess.Popen[bytes]]]]:
    """Start a server on a free port; return its address and the process."""
    running = []

    def start(*words: str) -> tuple[str, subprocess.Popen[bytes]]:
        command = [sys.executable, "-m", "accel", "serve", "--port", "0", "--interval", "100ms", *words]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        running.append(process)
        assert process.stderr is not None
        for line in process.stderr:
            found = re.search(rb" at (https?://\S+)", line)
            if found:
                return found[1].decode(), process
        raise AssertionError("it did not begin")

    yield start
    for process in running:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def _got(address: str, path: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(address.rstrip("/") + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def _until(true: Callable[[], Any]) -> Any:
    for _ in range(300):
        if found := true():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def test_everything_is_served_and_a_signal_ends_it(serving: Callable[..., Any]) -> None:
    address, process = serving("--findings-interval", "never")
    _until(lambda: _got(address, "/healthz")[0] == 200)
    _until(lambda: b'accel_device_busy_ratio{device="acme:0"' in _got(address, "/metrics")[1])
    devices = json.loads(_got(address, "/api/devices")[1])
    assert (devices["schema"], devices["devices"][0]["utilization_percent"]) == ("accel.devices/1", 97.0)
    readings = json.loads(_got(address, "/api/readings")[1])
    assert [one["id"] for one in readings["devices"]] == ["acme:0", "acme:1"]
    assert readings["devices"][0]["processes"][0]["name"]
    past = json.loads(_got(address, "/api/history/acme%3A0")[1])
    assert past["recent"]["busy_percent"][-1] == 97.0
    assert json.loads(_got(address, "/api/history")[1])["busy_percent"]["acme:0"][-1] == 97.0
    assert json.loads(_got(address, "/api/findings")[1])["findings"] == []
    assert b"live.js" in _got(address, "/")[1]
    assert (
        _got(address, "/api/history/none")[0] == _got(address, "/../etc/passwd")[0] == _got(address, "/kill")[0] == 404
    )
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


def test_a_token_guards_the_data_and_not_the_page(serving: Callable[..., Any], acme: Path) -> None:
    (acme / "token").write_text("0123456789abcdef0123\n")
    (acme / "token").chmod(0o600)
    address, _ = serving("--token-file", str(acme / "token"), "--findings-interval", "never")
    assert [_got(address, path)[0] for path in ("/", "/live.js", "/metrics", "/api/devices")] == [200, 200, 401, 401]
    assert _got(address, "/metrics", Authorization="Bearer 0123456789abcdef0123")[0] == 200


def test_where_the_sampling_process_ends_so_does_the_server(serving: Callable[..., Any]) -> None:
    _, process = serving("--findings-interval", "never")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("this kernel does not list children")
    os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    assert process.wait(20) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--host", "0.0.0.0"), "lets other machines in"),
        (("--token-file", "no-such-file"), "No such file"),
        (("--interval", "never"), "100ms to 1h"),
        (("--names", "prometheus"), "There are: dcgm"),
        (("--tls-cert", "no-such-file"), "cannot be used for TLS"),
        (("--tls-key", "no-such-file"), "--tls-key goes with --tls-cert"),
        (("--port", "1000000"), "port 1000000"),
        (("nvidia:77",), "No device 'nvidia:77'"),
    ],
)
def test_what_cannot_be_served_is_a_sentence_and_exit_code_2(
    acme: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert main(["serve", "--port", "0", *words]) == 2
    assert told in capsys.readouterr().err


def test_a_short_token_is_refused(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (acme / "token").write_text("secret\n")
    assert main(["serve", "--token-file", str(acme / "token")]) == 2
    assert "16 letters" in capsys.readouterr().err


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    assert main(["serve"]) == 2
    assert "accel serve needs prometheus_client" in (told := capsys.readouterr().err)
    assert "pip install 'prometheus-client>=0.17'" in told


def test_the_page_loads_nothing_from_elsewhere_and_writes_text_as_text() -> None:
    html, js, css = ((FILES / name).read_text(encoding="utf-8") for name in ("live.html", "live.js", "live.css"))
    for text in (html, js, css):
        assert re.findall(r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[\w.-]+\.\w+", text) == []
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|\bon\w+=", js + html)
    assert re.findall(r"<script(?! src=\"live\.js\")|<style|style=", html) == []
    assert "method" not in js  # it only ever asks


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no browser is installed")
def test_in_a_browser_the_devices_show_and_what_they_are_named_is_text(
    serving: Callable[..., Any], tmp_path: Path
) -> None:
    address, _ = serving("--findings-interval", "never")
    _until(lambda: _got(address, "/healthz")[0] == 200)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update"]
    command = [str(CHROMIUM), "--headless", *flags, f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [*command, "--virtual-time-budget=6000", "--dump-dom", f"{address}#device=acme:0"],
        capture_output=True,
        timeout=120,
        check=False,
    )
    dom = done.stdout.decode("utf-8", "replace")
    assert ">acme:0</button>" in dom
    assert "&lt;img src=x onerror=alert(1)&gt;" in dom
    assert "<img" not in dom
    assert "<figcaption>Busy (%)</figcaption>" in dom
