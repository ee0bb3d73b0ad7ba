"""A child for each node, so many at one time, within one deadline; nothing that was started is left behind."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from typing import Any, Final

from accel.fleet.carriers.outcome import failed
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

_MOST_OUTPUT: Final = 4 << 20
_REAP_SECONDS: Final = 1.0
_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@:%[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a node's child ended. exit_code: None where a signal ended it."""

    node: str
    stdout: str
    stderr: str
    exit_code: int | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """How nodes are asked.

    command       node -> the words of its child
    judged        what a child's end says of its node
    at_once       children at one time
    most_seconds  for one of them
    """

    command: Callable[[str], Sequence[str]]
    judged: Callable[[Ended], NodeAnswer]
    at_once: int
    most_seconds: float

    def answers(self, nodes: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives; after the deadline those that are missing, at once.

        Raises BadInput for a name that is none, such as "-oProxy…".
        """
        for node in nodes:
            if not node or node.startswith("-") or not set(node) <= _NAME:
                raise BadInput(f"{node[:60]!r} is no name of a node.")
        loop = asyncio.new_event_loop()
        answers = self._round(nodes, deadline_seconds)
        try:
            while True:
                try:
                    yield loop.run_until_complete(answers.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            loop.run_until_complete(answers.aclose())
            for _ in range(5):  # steps in which the pipes of ended children are closed
                loop.run_until_complete(asyncio.sleep(0))
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
                    else f"its turn had not come {after}: raise the deadline, or --at-once"
                )
                yield failed(tasks[task], "no_answer", why, deadline_seconds)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, node: str, free: asyncio.Semaphore, until: float, started: set[str]) -> NodeAnswer:
        async with free:
            started.add(node)
            start = time.monotonic()
            words = tuple(self.command(node))
            try:
                child = await _started(words)
            except OSError as error:
                return failed(node, "tool_failed", f"{words[0]} cannot be started here: {error.strerror}")
            try:
                stdout, stderr = await asyncio.wait_for(
                    _output(child), timeout=max(min(until - start, self.most_seconds), 0.01)
                )
            except (TimeoutError, asyncio.TimeoutError):
                took = time.monotonic() - start
                return failed(node, "no_answer", f"no answer after {took:.0f} s", took)
            finally:
                await _surely(_ended(child))
            code = child.returncode
            return self.judged(
                Ended(
                    node=node,
                    stdout=stdout,
                    stderr=stderr,
                    exit_code=code if code is not None and code >= 0 else None,
                    seconds=time.monotonic() - start,
                )
            )


async def _started(words: Sequence[str]) -> "asyncio.subprocess.Process":
    """Start a child in a session of its own. Where the round ends meanwhile, the child is ended too."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_MOST_OUTPUT,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _ended(await starting)
        raise


async def _surely(work: "Coroutine[Any, Any, None]") -> None:
    """Wait for work that goes on where this is cancelled: a round may end while a child is being ended."""
    going = asyncio.ensure_future(work)
    try:
        await asyncio.shield(going)
    except asyncio.CancelledError:
        await going
        raise


async def _output(child: "asyncio.subprocess.Process") -> tuple[str, str]:
    assert child.stdout is not None
    assert child.stderr is not None
    stdout, stderr = await asyncio.gather(_limited(child.stdout), _limited(child.stderr))
    await child.wait()
    return stdout, stderr


async def _limited(pipe: "asyncio.StreamReader") -> str:
    """Return what a pipe gives, at most so much; what comes behind that is read and dropped."""
    kept = bytearray()
    while data := await pipe.read(1 << 16):
        if len(kept) < _MOST_OUTPUT:
            kept += data
    return kept.decode("utf-8", "replace")


async def _ended(child: "asyncio.subprocess.Process") -> None:
    """End a child with all that it started, and take it out of the process table."""
    import signal

    if child.returncode is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        try:
            await asyncio.wait_for(child.wait(), timeout=_REAP_SECONDS)
        except (TimeoutError, asyncio.TimeoutError):  # it waits in the kernel, and ends when that lets it go
            pass
    child._transport.close()  # type: ignore[attr-defined]  # a grandchild may hold the pipes open
