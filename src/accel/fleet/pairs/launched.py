"""Ranks started by a launcher (mpirun, srun or torchrun): the first runs the tests, the others join it.

Each starts its own rank's process; it receives its lines over a connection to the first one. A token that all
processes of a launch know, and others do not, is sent first.
Source  docs.open-mpi.org: environment variables of a process; slurm.schedmd.com: srun, output environment variables;
        docs.pytorch.org: torchrun
"""

import asyncio
import hmac
import json
import socket
import time
from collections.abc import Mapping
from typing import Final

from accel.fleet.carriers.outcome import failed
from accel.fleet.pairs.rank_program import BOOT
from accel.fleet.pairs.running import Ranks
from accel.fleet.pairs.seats import Place, Seat
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.model.printable import printable

TOKEN: Final = "ACCEL_PAIRS_TOKEN"
# (rank, size, rank on its node) by launcher
_LAUNCHERS: Final = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
)
_JOBS: Final = (TOKEN, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID")
_HELLO_SECONDS: Final = 5.0
_MOST_HELLO: Final = 4096
_AGAIN_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """One process of a launch. local: its index on its node; host, port: where the first one listens."""

    rank: int
    size: int
    local: int
    token: str
    host: str
    port: int
    node: str


def launched(environment: Mapping[str, str], meet: str | None) -> Launched:
    """Parse a launcher's environment variables. Raises BadInput if they are incomplete."""
    numbers = next(((e[r], e[s], e.get(n, "0")) for r, s, n in _LAUNCHERS if (e := environment).keys() >= {r, s}), None)
    if numbers is None or not all(one.isdecimal() for one in numbers):
        raise BadInput("--rank: no launcher's variables are here, such as OMPI_COMM_WORLD_RANK or SLURM_PROCID.")
    rank, size, local = map(int, numbers)
    if meet is None and {"MASTER_ADDR", "MASTER_PORT"} <= environment.keys():
        meet = f"{environment['MASTER_ADDR']}:{environment['MASTER_PORT']}"
    host, _, port = (meet or "").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadInput("--rank needs  --meet HOST:PORT : the first process's host and a free port of it.")
    token = next((environment[name] for name in _JOBS if environment.get(name)), None)
    if token is None:
        raise BadInput(f"--rank: set {TOKEN} to a word of your own, the same for all processes.")
    name = environment.get("SLURMD_NODENAME") or socket.gethostname()
    return Launched(rank=rank, size=size, local=local, token=token, host=host.strip("[]"), port=int(port), node=name)


def _own(own: Launched, python: str) -> Place:
    name = f"{own.node}-{own.local}" if own.local else own.node
    return Place(node=name, words=(python, "-u", "-c", BOOT, name), host=own.host, index=own.local)


async def gather(ranks: Ranks, own: Launched, python: str) -> None:
    """Accept the other processes' connections, each as a seat, within the start timeout. Raises BadInput."""
    joining: list[asyncio.Task[None]] = []
    come: set[int] = set()
    enough = asyncio.Event()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await _hello(reader, own.token)
        rank = hello.get("rank")
        if not isinstance(rank, int) or not 0 < rank < own.size or rank in come:
            writer.close()
            return
        come.add(rank)
        name = printable(str(hello.get("node")))[:200]
        name = f"{name}-{rank}" if name in ranks.seats else name
        local = hello.get("local")
        peer = writer.get_extra_info("peername")[0]
        place = Place(node=name, host=str(peer), index=local if isinstance(local, int) else 0)
        seat = ranks.seats[name] = Seat(place, ranks.settings.workers, ranks.take)
        joining.append(asyncio.ensure_future(seat.joined(reader, writer, ranks.settings.start_seconds)))
        if len(come) == own.size - 1:
            enough.set()

    try:
        server = await asyncio.start_server(take, None, own.port, limit=1 << 20)
    except OSError as error:
        raise BadInput(f"--meet: port {own.port}: {error.strerror}. Give another.") from None
    async with server:
        first = asyncio.ensure_future(ranks.start((_own(own, python),)))
        try:
            await asyncio.wait_for(enough.wait(), ranks.settings.start_seconds)
        except (TimeoutError, asyncio.TimeoutError):
            pass
        server.close()
        await asyncio.gather(first, *joining)
    for rank in range(1, own.size):
        if rank not in come:
            name = f"rank {rank}"
            seat = ranks.seats[name] = Seat(Place(node=name), ranks.settings.workers, ranks.take)
            seat.lost = failed(name, "no_answer", f"it did not join within {ranks.settings.start_seconds:.0f} s")


async def _hello(reader: asyncio.StreamReader, token: str) -> Mapping[str, object]:
    """Return a process's description of itself; {} if it does not know the token."""
    try:
        line = await asyncio.wait_for(reader.readline(), _HELLO_SECONDS)
        told = json.loads(line[:_MOST_HELLO])
    except (TimeoutError, asyncio.TimeoutError, ValueError, OSError):
        return {}
    known = isinstance(told, dict) and hmac.compare_digest(str(told.get("token")).encode(), token.encode())
    return told if known else {}


async def join(own: Launched, python: str, seconds: float) -> None:
    """Join the first process, and relay lines between it and a rank's process here until it is over."""
    until = time.monotonic() + seconds
    while True:
        try:
            reader, writer = await asyncio.open_connection(own.host, own.port, limit=1 << 20)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise BadInput(f"--meet {own.host}:{own.port}: {error.strerror or error}.") from None
            await asyncio.sleep(_AGAIN_SECONDS)
    place = _own(own, python)
    hello = {"token": own.token, "rank": own.rank, "node": place.node, "local": own.local}
    writer.write(json.dumps(hello).encode() + b"\n")
    process = await asyncio.create_subprocess_exec(
        *place.words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    ways = {
        asyncio.ensure_future(_passed(reader, process.stdin)),
        asyncio.ensure_future(_passed(process.stdout, writer)),
    }
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        process.stdin.close()  # it ends its worker, and itself
        try:
            await asyncio.wait_for(process.wait(), _HELLO_SECONDS)
        except (TimeoutError, asyncio.TimeoutError):
            process.kill()
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        writer.close()


async def _passed(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    except OSError:
        pass
