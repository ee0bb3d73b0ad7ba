"""One child process per node, a limited number at a time, within one deadline; no process is left behind."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from typing import Any, Final

from accel.fleet.carriers.outcome import failed
from accel.fleet.model import NodeAnswer
from accel.machine.kill_with_parent import dying_with_parent
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

_MOST_OUTPUT: Final = 4 << 20
_REAP_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.2
_PIPE_SECONDS: Final = 1.0  # an ended child may have left a process that holds its pipes open
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@:%[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a node's child ended. exit_code: None if it was ended by a signal."""

    node: str
    stdout: str
    stderr: str
    exit_code: int | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """A node's second child, depending on the first one's output.

    stdin: a file for its input; most_seconds: time limit.
    """

    words: Sequence[str]
    stdin: str
    most_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """How nodes are queried.

    command       node -> the argument list of its child
    judged        converts a child's end into the node's answer
    at_once       maximum number of concurrent children
    most_seconds  limit for one child
    second        whether and how a node is queried a second time
    heed_seconds  time for a child to exit by itself after it is told to
    """

    command: Callable[[str], Sequence[str]]
    judged: Callable[[Ended], NodeAnswer]
    at_once: int
    most_seconds: float
    second: Callable[[Ended], Second | None] = lambda _: None
    heed_seconds: float = 1.0

    def answers(self, nodes: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives; after the deadline, the missing ones at once.

        Raises BadInput for an invalid node name, such as "-oProxy…".
        """
        for node in nodes:
            if not node or node.startswith("-") or not set(node) <= _NAME:
                raise BadInput(f"{node[:60]!r} is no name of a node.")
        loop = asyncio.new_event_loop()
        answers = self._round(nodes, deadline_seconds)
        awaited = None
        try:
            while True:
                awaited = loop.create_task(_next(answers))
                answer = loop.run_until_complete(awaited)
                if answer is None:
                    return
                yield answer
        finally:
            loop.run_until_complete(_closed(answers, awaited))
            loop.close()

    async def _round(self, nodes: Sequence[str], deadline_seconds: float) -> "AsyncGenerator[NodeAnswer, None]":
        until = time.monotonic() + deadline_seconds
        free = asyncio.Semaphore(self.at_once)
        started: set[str] = set()
        tasks = {asyncio.ensure_future(self._one(node, free, until, started)): node for node in nodes}
        waiting = set(tasks)
        try:
            while waiting:
                left = until - time.monotonic()
                done, waiting = await asyncio.wait(waiting, timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
                if not done and left <= 0:
                    break
            for task in waiting:
                after = f"after {deadline_seconds:.0f} s"
                began = tasks[task] in started
                why = (
                    f"no answer {after}"
                    if began
                    else f"it was not its turn yet {after}: raise the deadline, or --at-once"
                )
                yield failed(tasks[task], "no_answer", why, deadline_seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, node: str, free: asyncio.Semaphore, until: float, started: set[str]) -> NodeAnswer:
        async with free:
            started.add(node)
            most = min(until, time.monotonic() + self.most_seconds)
            ended = await _run(node, tuple(self.command(node)), None, most, self.heed_seconds)
            if isinstance(ended, Ended) and (second := self.second(ended)) is not None:
                most = min(until, time.monotonic() + second.most_seconds)
                ended = await _run(node, tuple(second.words), second.stdin, most, self.heed_seconds)
            return self.judged(ended) if isinstance(ended, Ended) else ended


async def _next(answers: "AsyncGenerator[NodeAnswer, None]") -> NodeAnswer | None:
    return await anext(answers, None)


async def _closed(answers: "AsyncGenerator[NodeAnswer, None]", awaited: "asyncio.Task[Any] | None") -> None:
    """End a round, even one that Ctrl-C interrupted in the middle of a wait."""
    if awaited is not None:
        awaited.cancel()
        await asyncio.gather(awaited, return_exceptions=True)
    await answers.aclose()
    for _ in range(5):  # steps in which the pipes of ended children are closed
        await asyncio.sleep(0)


async def _run(node: str, words: Sequence[str], stdin: str | None, until: float, heed: float) -> Ended | NodeAnswer:
    """Return how a child ended, or the row of a node whose child cannot be started or has not ended by the deadline."""
    start = time.monotonic()
    try:
        child = await _started(words, stdin, heed)
    except OSError as error:
        return failed(node, "tool_failed", f"{words[0]} cannot be started here: {error.strerror}")
    try:
        stdout, stderr = await asyncio.wait_for(_output(child), timeout=max(until - start, 0.01))
    except (TimeoutError, asyncio.TimeoutError):
        took = time.monotonic() - start
        return failed(node, "no_answer", f"no answer after {took:.0f} s", took)
    finally:
        await _surely(_ended(child, heed))
    code = child.returncode
    return Ended(
        node=node,
        stdout=stdout,
        stderr=stderr,
        exit_code=code if code is not None and code >= 0 else None,
        seconds=time.monotonic() - start,
    )


async def _started(words: Sequence[str], stdin: str | None, heed: float) -> "asyncio.subprocess.Process":
    """Start a child in a session of its own, which ends with this process, however this process ends.

    If the round ends in the meantime, the child is ended too.
    """
    file = os.open(os.devnull if stdin is None else stdin, os.O_RDONLY)
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *words,
            stdin=file,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_MOST_OUTPUT,
            preexec_fn=dying_with_parent(),
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _ended(await starting, heed)
        raise
    finally:
        os.close(file)


async def _surely(work: "Coroutine[Any, Any, None]") -> None:
    """Wait for work that continues if this is cancelled: a round may end while a child is being ended."""
    going = asyncio.ensure_future(work)
    try:
        await asyncio.shield(going)
    except asyncio.CancelledError:
        await going
        raise


async def _output(child: "asyncio.subprocess.Process") -> tuple[str, str]:
    """Return a child's output until it exits; output of what it left running, such as ssh's master, is not awaited."""
    assert child.stdout is not None
    assert child.stderr is not None
    kept = bytearray(), bytearray()
    pipes = [
        asyncio.ensure_future(_read(pipe, to)) for pipe, to in zip((child.stdout, child.stderr), kept, strict=True)
    ]
    try:
        waiting: set[asyncio.Task[None]] = set(pipes)
        while waiting and child.returncode is None:  # some releases' wait() also waits for the pipes
            _, waiting = await asyncio.wait(waiting, timeout=_LOOK_SECONDS)
        if waiting:
            await asyncio.wait(waiting, timeout=_PIPE_SECONDS)
        else:
            await child.wait()
    finally:
        for one in pipes:
            one.cancel()
    return kept[0].decode("utf-8", "replace"), kept[1].decode("utf-8", "replace")


async def _read(pipe: "asyncio.StreamReader", kept: bytearray) -> None:
    """Keep a limited amount of a pipe's output; the rest is read and dropped."""
    while data := await pipe.read(1 << 16):
        if len(kept) < _MOST_OUTPUT:
            kept += data


async def _ended(child: "asyncio.subprocess.Process", heed: float) -> None:
    """End a child with everything it started, and reap it.

    It is asked to exit first: srun then ends its step, which would otherwise continue and keep its allocation.
    """
    import signal

    for ending, seconds in ((signal.SIGTERM, heed), (signal.SIGKILL, _REAP_SECONDS)):
        if child.returncode is not None:
            break
        try:
            os.killpg(child.pid, ending)
        except (ProcessLookupError, PermissionError):
            pass
        try:
            await asyncio.wait_for(child.wait(), timeout=seconds)
        except (TimeoutError, asyncio.TimeoutError):  # it waits in the kernel, and ends when that lets it go
            pass
    child._transport.close()  # type: ignore[attr-defined]  # a grandchild may hold the pipes open
