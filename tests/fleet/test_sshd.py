"""A round by the system's ssh to a real sshd on the loopback: one for all tests, which are skipped where it is not."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from made_nodes import node

from accel.apps.cli import main
from accel.fleet import NodeAnswer
from accel.fleet.carriers.ssh import Ssh
from accel.fleet.node import node_line
from accel.model.dataclass import dataclass

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
    pytest.mark.skipif(SSHD is None or shutil.which("ssh") is None, reason="needs ssh and sshd: openssh-server"),
]
PATIENT = {"connect_seconds": 60.0, "grace_seconds": 120.0}
LOOKS = 1500  # of 20 ms

ACCEL = """#!/bin/sh
case $CASE in
  noise) echo 'Last login: today'; cat {folder}/line; echo 'Warning: Permanently added' >&2;;
  failed) echo 'Traceback' >&2; echo 'OSError: no driver' >&2; exit 4;;
  says_255) echo 'accel: said so itself' >&2; exit 255;;
  killed) kill -9 $$;;
  hang) echo $$ >> {folder}/hangs; exec sleep 600;;
  many) echo x >> {folder}/begun; sleep 0.3; echo x >> {folder}/ended; wc -l < {folder}/begun >> {folder}/counts
    wc -l < {folder}/ended >> {folder}/counts; cat {folder}/line;;
  *) cat {folder}/line;;
esac
"""
PYTHON = """#!/bin/sh
case "$CASE $*" in
  old*sys.exit*) exit 1;;
  old*) echo 'python3 is 3.9.18' >&2;;
  none*) exit 127;;
  late*sys.exit*) exit 0;;
  late*) echo x > {folder}/late; while [ -e {folder}/late ]; do sleep 0.05; done; exit 3;;
  broken*sys.exit*) exit 0;;
  broken*) kill -9 $$;;
  *) exec {python} -I -S "$@";;
esac
"""
ANSWER = ("well", "noise", "motd", "forwards", "kept")
UNREACHABLE = {
    "refused": "Permission denied (publickey",
    "closed": "Connection refused",
    "absent": "timed out",
    "mute": "timed out",
    "changed": "Host key verification failed",
}
MKTEMP = """#!/bin/sh
[ "$CASE" = full ] && echo 'mktemp: no space left' >&2 && exit 1
exec /usr/bin/mktemp "$@"
"""


@dataclass(frozen=True, slots=True)
class Server:
    """An sshd that runs. temporary: what nodes have as TMPDIR."""

    folder: Path
    port: int

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def options(self) -> tuple[str, str]:
        return ("-F", str(self.folder / "ssh_config"))

    def hosts(self, *lines: str) -> None:
        """Write ssh's configuration: these lines, and behind them what holds for all hosts."""
        common = [
            *("Host *", "HostName 127.0.0.1", f"Port {self.port}", f"User {getpass.getuser()}", "IdentitiesOnly yes"),
            *(f"UserKnownHostsFile {self.folder}/known", "HostKeyAlias loopback", "LogLevel INFO"),
            *("Host * !refused !motd", f"IdentityFile {self.folder}/key"),
        ]
        (self.folder / "ssh_config").write_text("\n".join([*lines, *common]) + "\n")

    def asked(self, nodes: list[str], deadline: float = 300, **more: object) -> dict[str, tuple[str, str | None]]:
        made = Ssh(options=self.options, **more)  # type: ignore[arg-type]
        return {row.node: (row.state, row.why) for row in made.answers(nodes, deadline)}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o700)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("d")
    for key in ("host", "key", "noisy", "stranger"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
        subprocess.run(made, check=True, capture_output=True)
    (folder / "bin").mkdir()
    (folder / "temporary").mkdir()
    (folder / "line").write_text(node_line(node("whoever", "nvidia:3 is ill")))
    (folder / "banner").write_text('Private system.\n{"schema": "accel\n')
    executable(folder / "bin" / "accel", ACCEL.format(folder=folder))
    executable(folder / "bin" / "mktemp", MKTEMP)
    for name in ("python3", *(f"python3.{minor}" for minor in range(10, 15))):
        executable(folder / "bin" / name, PYTHON.format(python=sys.executable, folder=folder))
    noisy = """command="echo 'Welcome {'; echo 'motd' >&2; eval \\"$SSH_ORIGINAL_COMMAND\\"" """
    keys = [(folder / "key.pub").read_text(), noisy + (folder / "noisy.pub").read_text()]
    (folder / "authorized").write_text("".join(keys))
    server = Server(folder, free_port())
    (folder / "known").write_text(f"loopback {(folder / 'host.pub').read_text()}")
    (folder / "sshd_config").write_text(
        f"Port {server.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        f"PermitRootLogin yes\nMaxStartups 200\nAcceptEnv CASE TMPDIR\nBanner {folder}/banner\n"
        f"SetEnv HOME={folder} PATH={folder}/bin:/usr/bin:/bin TMPDIR={folder}/temporary\n"
    )
    with (folder / "said").open("wb") as said:
        words = [str(SSHD), "-D", "-e", "-f", str(folder / "sshd_config")]
        daemon = subprocess.Popen(words, stderr=said, start_new_session=True)
    try:
        if not until(lambda: listens(server.port) or daemon.poll() is not None) or daemon.poll() is not None:
            pytest.skip(f"sshd does not start here: {(folder / 'said').read_text().strip()[-200:]}")
        yield server
    finally:
        daemon.kill()
        daemon.wait()


def listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def until(holds: Callable[[], bool]) -> bool:
    for _ in range(LOOKS):
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def case(*names: str) -> list[str]:
    return [line for name in names for line in (f"Host {name}", f"SetEnv CASE={name}")]


def test_each_way_in_which_a_node_fails_has_its_own_row(server: Server) -> None:
    full, mute = socket.socket(), socket.socket()
    for one, backlog in ((full, 0), (mute, 5)):
        one.bind(("127.0.0.1", 0))
        one.listen(backlog)
    fills = [socket.socket() for _ in range(4)]  # so many that the kernel drops who comes next, as an absent host does
    for one in fills:
        one.setblocking(False)
        one.connect_ex(full.getsockname())
    server.hosts(
        *case("noise", "failed", "says_255", "killed", "hang"),
        *("Host motd", f"IdentityFile {server.folder}/noisy"),
        *("Host refused", f"IdentityFile {server.folder}/stranger"),
        *("Host closed", f"Port {free_port()}"),
        *("Host absent", f"Port {full.getsockname()[1]}"),
        *("Host mute", f"Port {mute.getsockname()[1]}"),
        *("Host changed", f"HostKeyAlias other{chr(10)}StrictHostKeyChecking yes"),
        *("Host forwards", f"LocalForward {server.port} 127.0.0.1:1{chr(10)}ExitOnForwardFailure yes"),
        *("Host kept", "ControlMaster auto", f"ControlPath {server.folder}/c", "ControlPersist 20"),
    )
    names = [*ANSWER, *UNREACHABLE, "failed", "says_255", "killed", "hang"]
    try:
        rows = server.asked(names, connect_seconds=1.0, probe_seconds=1.0, grace_seconds=6.0)
    finally:
        for one in (*fills, full, mute):
            one.close()
        leave = ["ssh", *server.options, "-O", "exit", "kept"]
        subprocess.run(leave, check=False, capture_output=True)
    assert {rows[name] for name in ANSWER} == {("ill", None)}
    assert rows["failed"] == ("tool_failed", "exit code 4: OSError: no driver")
    assert rows["says_255"] == ("tool_failed", "exit code 254: accel: said so itself")
    assert rows["killed"][0] == "tool_failed"
    assert rows["hang"][0] == "no_answer"
    assert {rows[name][0] for name in UNREACHABLE} == {"unreachable"}
    assert [name for name, said in UNREACHABLE.items() if said not in (rows[name][1] or "")] == []


def test_a_list_in_brackets_is_asked_so_many_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("ClusterShell")
    server.hosts(f"Host n?? 127.0.0.1{chr(10)}SetEnv CASE=many")
    file = tmp_path / "hosts"
    user = getpass.getuser()
    file.write_text(f"n[01-06]  # the first rack\n{user}@127.0.0.1:{server.port}, n[06-08]\n")
    words = [word for option in server.options for word in ("--ssh-option", option)]
    assert main(["fleet", "doctor", "--hosts", str(file), "--at-once", "3", *_joined(words), "--format", "csv"]) == 1
    rows = capsys.readouterr().out.splitlines()[1:]
    assert sorted(row.split(",")[0] for row in rows) == sorted(
        [*(f"n{number:02}" for number in range(1, 9)), f"{user}@127.0.0.1:{server.port}"]
    )
    counts = [int(word) for word in (server.folder / "counts").read_text().split()]
    most = max(begun - ended for begun, ended in zip(counts[::2], counts[1::2], strict=False))
    assert len(counts) == 18
    assert most <= 3


def _joined(words: list[str]) -> list[str]:
    return [f"{option}={word}" for option, word in zip(words[::2], words[1::2], strict=True)]


def test_a_copy_looks_at_a_node_without_accel_and_leaves_nothing(server: Server) -> None:
    server.hosts(*case("old", "none", "broken", "full", "late"))
    late = server.folder / "late"
    missing = ("accel-is-not-here", "fleet", "probe")
    made = Ssh(options=server.options, command=missing, copy=True, **PATIENT)
    answers = made.answers(["a", "old", "none", "broken", "full", "late"], 300)
    rows: dict[str, NodeAnswer] = {row.node: row for row in islice(answers, 5)}
    assert until(late.exists)
    answers.close()  # type: ignore[attr-defined]  # nobody waits for it any more
    assert len(list(server.temporary.iterdir())) == 1
    late.unlink()  # and it ends some time later
    assert rows["a"].state in ("ok", "ill", "partial"), rows["a"].why
    assert rows["a"].accel is not None
    assert "python" in rows["a"].versions
    assert "accel-sdk" not in " ".join(one.title for one in rows["a"].findings)  # it is none of the node's packages
    next_step = "and accel needs 3.10 or newer: install a newer one there too, such as python3.12"
    assert rows["old"].why == f"its python3 is 3.9.18, {next_step}"
    assert rows["none"].why == f"it has no python3, {next_step}"
    assert rows["broken"].state == "tool_failed"
    assert rows["full"].why == "no copy could be put there: mktemp: no space left"
    assert until(lambda: list(server.temporary.iterdir()) == [])
    assert server.asked(["there"], copy=True, **PATIENT) == {"there": ("ill", None)}  # its own accel, which is there


def marked(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_no_ssh_outlives_a_round_that_is_broken_off(server: Server, sent: signal.Signals) -> None:
    server.hosts(*("Host *", "SetEnv CASE=hang"))
    hangs = server.folder / "hangs"
    hangs.unlink(missing_ok=True)
    mark = uuid.uuid4().hex
    words = [f"--ssh-option={word}" for word in server.options]
    asking = subprocess.Popen(
        [sys.executable, "-m", "accel", "fleet", "doctor", "--hosts", "a", "b", *words],
        env={**os.environ, "ACCEL_TEST_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert until(lambda: hangs.exists() and len(hangs.read_text().split()) == 2)
        assert sum("ssh" in line for line in marked(mark)) >= 2
        asking.send_signal(sent)
        _, said = asking.communicate(timeout=60)
        assert b"Traceback" not in said
        assert asking.returncode == (130 if sent == signal.SIGINT else -sent)
        assert until(lambda: marked(mark) == []), marked(mark)
    finally:
        asking.kill()
        for pid in hangs.read_text().split() if hangs.exists() else ():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
