"""A rank's process on each node, by ssh, srun or locally: starting, communicating, restarting and ending."""

import asyncio
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from accel.fleet.carriers.outcome import failed, last_words
from accel.fleet.model import NodeAnswer
from accel.fleet.pairs.rank_program import BOOT, MARK
from accel.model.dataclass import dataclass, field
from accel.model.errors import BadInput
from accel.model.printable import printable

_LIMIT: Final = 1 << 20
_END_SECONDS: Final = 3.0
_SSH_FAILED: Final = 255
_NAME: Final = re.compile(r"(?!-)[A-Za-z0-9._@:%-]{1,255}")
_SAID: Final = 20  # last lines of stderr that are kept

Heard = Callable[["Seat", Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a rank runs. words: its start command; host: its address for others, None: as it reports itself."""

    node: str
    words: tuple[str, ...] = ()
    host: str | None = None
    index: int = 0
    by_ssh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A rank's description of itself, once it is ready."""

    torch: str
    python: str
    device: str
    library: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """How workers are started. environment: variables in addition to each node's own."""

    device: str = "auto"
    environment: Mapping[str, str] = field(default_factory=dict)


class Seat:
    """One node's process, and its output. heard: receives the lines about tests."""

    def __init__(self, place: Place, workers: Workers, heard: Heard) -> None:
        self.place, self._workers, self._heard = place, workers, heard
        self.node = place.node
        self.host = place.host
        self.rank: Rank | None = None
        self.lost: NodeAnswer | None = None
        self.test: int | None = None  # the one that it is in
        self._ready: asyncio.Future[None] | None = None
        self._here: asyncio.Future[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._said: list[str] = []
        self._number = 0  # of its worker

    async def start(self, seconds: float) -> None:
        """Start the process and its worker; if that fails, `lost` says why."""
        loop = asyncio.get_running_loop()
        self._here, self._ready = loop.create_future(), loop.create_future()
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                *self.place.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=_LIMIT,
            )
        except OSError as error:
            self._lose("tool_failed", f"{self.place.words[0]} cannot be started here: {error.strerror}")
            return
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._tasks.append(loop.create_task(self._keep_stderr(process.stderr)))
        await self.joined(process.stdout, process.stdin, seconds)

    async def joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
        """Communicate with a process over these streams; wait until its worker is ready."""
        loop = asyncio.get_running_loop()
        if self._here is None:
            self._here, self._ready = loop.create_future(), loop.create_future()
        self._writer = writer
        source = files("accel.fleet.pairs").joinpath("rank_program.py").read_bytes()
        self._write(b"%d\n" % len(source) + source)
        self._tasks.append(loop.create_task(self._read(reader)))
        until = loop.time() + seconds
        if not await _within(self._here, seconds):
            self._lose("no_answer", f"its Python did not start within {seconds:.0f} s")
            return
        await self.restart(until - loop.time())

    async def restart(self, seconds: float) -> None:
        """End its worker, if there is one, and start another."""
        if self.lost is not None:
            return
        self.test = None
        ready = self._ready = asyncio.get_running_loop().create_future()
        self._number += 1
        workers = self._workers
        how = {"device": workers.device, "index": self.place.index, "environment": {**workers.environment}}
        self.send({"start": {**how, "number": self._number}})
        if not await _within(ready, max(seconds, 0.1)) and self.lost is None:
            self._lose("no_answer", f"torch did not start within {seconds:.0f} s")

    def send(self, line: Mapping[str, Any]) -> None:
        """Write a line to it."""
        self._write(json.dumps(line).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(data)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                place = line.find(MARK.encode())
                if place < 0:
                    self._said = [*self._said[-_SAID:], line.decode("utf-8", "replace")]
                    continue
                try:
                    told = json.loads(line[place + len(MARK) :])
                except ValueError:
                    continue
                if isinstance(told, dict):
                    self._take(told)
        except (OSError, ValueError):  # a line beyond the limit is not ours
            pass
        await self._over()

    def _take(self, told: Mapping[str, Any]) -> None:
        if "here" in told:
            self.host = self.host or told["here"].get("address") or self.node.rpartition("@")[2]
            _done(self._here)
        elif "ready" in told and told["ready"].get("number") == self._number:
            self.rank = Rank(
                **{key: told["ready"].get(key) for key in ("torch", "python", "device", "library", "name")}
            )
            _done(self._ready)
        elif "ended" in told and told.get("number") == self._number:
            ending = printable(str(told["ended"]))
            if self._ready is not None and not self._ready.done():
                missing = "No module named 'torch'" in ending
                self._lose("tool_failed", f"torch is not installed there: {ending}" if missing else ending)
            elif self.test is not None:
                self._heard(self, {"test": self.test, "error": f"its process ended: {ending}", "died": True})
        elif "test" in told:
            self._heard(self, told)

    async def _over(self) -> None:
        """Handle the end of the process's output."""
        code = None
        if self._process is not None:
            try:
                code = await asyncio.wait_for(self._process.wait(), _END_SECONDS)
            except (TimeoutError, asyncio.TimeoutError):
                code = None
        said = last_words("".join(self._said))
        if self.place.by_ssh and code == _SSH_FAILED:
            self._lose("unreachable", said or "ssh could not connect, without a message")
        else:
            began = self._here is not None and self._here.done()
            what = "its process ended" if began else "its Python did not start"
            self._lose(
                "tool_failed", f"{what}{f': exit code {code}' if code is not None else ''}{said and f': {said}'}"
            )

    def _lose(self, state: Any, why: str) -> None:
        if self.lost is None:
            self.lost = failed(self.node, state, why)
        if self.test is not None:
            self._heard(self, {"test": self.test, "error": f"the node was lost: {why}", "died": True})
        _done(self._here)
        _done(self._ready)

    async def _keep_stderr(self, pipe: asyncio.StreamReader) -> None:
        while data := await pipe.read(1 << 16):
            lines = data.decode("utf-8", "replace").splitlines(keepends=True)
            self._said = [*self._said, *(line[:400] for line in lines)][-_SAID:]

    async def close(self) -> None:
        """End the process, closing its input first so that it can end what it has started."""
        if self._writer is not None:
            self._writer.close()
        process = self._process
        if process is not None and process.returncode is None:
            try:
                await asyncio.wait_for(process.wait(), _END_SECONDS)
            except (TimeoutError, asyncio.TimeoutError):
                _kill(process.pid)
                try:
                    await asyncio.wait_for(process.wait(), 1.0)
                except (TimeoutError, asyncio.TimeoutError):  # it waits in the kernel
                    pass
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if process is not None:
            process._transport.close()  # type: ignore[attr-defined]  # a grandchild may hold the pipes open


def _kill(pid: int) -> None:
    import signal

    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _done(future: "asyncio.Future[None] | None") -> None:
    if future is not None and not future.done():
        future.set_result(None)


async def _within(future: "asyncio.Future[None]", seconds: float) -> bool:
    done, _ = await asyncio.wait({future}, timeout=max(seconds, 0))
    return bool(done)


def here(count: int, python: str) -> tuple[Place, ...]:
    """Return places for `count` ranks on this machine."""
    return tuple(
        Place(node=f"local{n}", words=(python, "-u", "-c", BOOT, f"local{n}"), host="127.0.0.1", index=n)
        for n in range(count)
    )


def by_ssh(nodes: Sequence[str], python: str, options: Sequence[str], connect_seconds: float) -> tuple[Place, ...]:
    """Return places on nodes reachable by the system's ssh, without password prompts. Raises BadInput."""
    for node in nodes:
        if not _NAME.fullmatch(node):
            raise BadInput(f"{node[:60]!r} is no name of a node.")
    connect = f"ConnectTimeout={max(int(connect_seconds), 1)}"
    alive = ("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3")  # a node that is lost is noticed
    start = ("ssh", "-T", "-o", "BatchMode=yes", "-o", connect, *alive, *options, "--")
    return tuple(
        Place(node=node, words=(*start, node, shlex.join((python, "-u", "-c", BOOT, node))), by_ssh=True)
        for node in nodes
    )


def by_slurm(job: str, nodes: Sequence[str], python: str) -> tuple[Place, ...]:
    """Return places on nodes of a running job: one step per node."""
    step = (
        "srun",
        f"--jobid={job}",
        "--overlap",
        "--no-kill",
        "--nodes=1",
        "--ntasks=1",
        "--job-name=accel-fleet-pairs",
    )
    return tuple(
        Place(node=node, words=(*step, f"--nodelist={node}", python, "-u", "-c", BOOT, node), host=node)
        for node in nodes
    )
