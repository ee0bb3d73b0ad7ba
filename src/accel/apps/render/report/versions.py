"""The chapter on software: system, drivers, toolkits, frameworks, Python, packages, variables."""

from collections.abc import Sequence

from accel.apps.render.report.document import Block, Fact, Fold, Paragraph, Section, Table
from accel.apps.render.report.given import Given, known_facts
from accel.apps.render.units import bytes_text
from accel.facts.questions import Facts as MachineFacts
from accel.model.environment import Package


def versions(given: Given) -> Section:
    """Return the chapter; tables without known values are left out."""
    facts = given.facts
    tables = [_drivers(facts), _toolkits(facts), _frameworks(facts)]
    blocks: list[Block] = [*known_facts(_system(given)), *(table for table in tables if table is not None)]
    if not facts.environment.frameworks:
        whole = facts.environment.complete
        blocks.append(
            Paragraph(text="Frameworks: none is installed." if whole else f"Frameworks: unknown ({given.otherwise}).")
        )
    return Section(name="versions", title="Versions", blocks=(*blocks, *_surroundings(facts)))


def _system(given: Given) -> list[Fact]:
    host, environment = given.facts.host, given.facts.environment
    inside = {True: host.container or "yes", False: "no", None: None}[host.containerized]
    rows = [
        ("operating system", host.distribution or host.system, ("distribution", "system")),
        ("kernel", host.kernel, ("kernel",)),
        ("machine", host.machine, ("machine",)),
        ("C library", host.libc, ("libc",)),
        ("container", inside, ("containerized", "container")),
        ("virtual machine", host.virtualization, ("virtualization",)),
        ("memory", bytes_text(host.memory_total_bytes) if host.memory_total_bytes else None, ("memory_total_bytes",)),
        ("shared memory", bytes_text(host.shm_bytes) if host.shm_bytes else None, ("shm_bytes",)),
        ("Python", environment.python_version, ("python_version",)),
    ]
    if given.identifiers:
        rows.insert(0, ("host name", host.name, ("name",)))
        rows.append(("Python's path", environment.python_executable, ("python_executable",)))
    return [Fact(label=label, value=value, why=given.why(fields)) for label, value, fields in rows]


def _drivers(facts: MachineFacts) -> Table | None:
    rows = []
    for backend in dict.fromkeys(report.backend for report in facts.snapshot.reports):
        driver = facts.driver(backend)
        if driver is not None:
            told = (
                driver.version,
                driver.library_version,
                driver.toolkit_version,
                driver.firmware_version,
                driver.flavor,
            )
            rows.append((backend, *told))
    columns = ("driver of", "version", "library", "newest toolkit served", "firmware", "flavor")
    return _table("Drivers", columns, rows)


def _toolkits(facts: MachineFacts) -> Table | None:
    rows = [(t.name, t.version, t.path) for t in facts.environment.toolkits]
    return _table("Toolkits", ("toolkit", "version", "path"), rows)


def _frameworks(facts: MachineFacts) -> Table | None:
    answers = {True: "yes", False: "no", None: None}
    rows = [
        (
            f.name,
            f.version,
            f.variant,
            f.built_for,
            f.cuda_version or f.rocm_version,
            f.cudnn_version,
            f.nccl_version,
            answers[f.available],
            ", ".join(f.architectures) if f.architectures else None,
        )
        for f in facts.environment.frameworks
    ]
    columns = (
        *("framework", "version", "variant", "built for", "toolkit of the build", "cuDNN", "NCCL"),
        *("sees a device", "code for"),
    )
    return _table("Frameworks", columns, rows)


def _table(caption: str, columns: tuple[str, ...], rows: Sequence[tuple[str | None, ...]]) -> Table | None:
    """Return the table without columns that no row fills, so that an empty cell means unknown."""
    if not rows:
        return None
    kept = [n for n in range(len(columns)) if n < 2 or any(row[n] is not None for row in rows)]
    return Table(
        caption=caption,
        columns=tuple(columns[n] for n in kept),
        rows=tuple(dict.fromkeys(tuple(row[n] for n in kept) for row in rows)),
    )


def _surroundings(facts: MachineFacts) -> tuple[Block, ...]:
    environment = facts.environment
    blocks: list[Block] = []
    if environment.variables:
        table = Table(caption="Environment variables", columns=("variable", "value"), rows=environment.variables)
        blocks.append(table)
    if environment.libraries:
        rows = tuple((x.name, x.version, x.origin, x.path) for x in environment.libraries)
        table = Table(caption="Shared libraries", columns=("library", "version", "from", "path"), rows=rows)
        blocks.append(Fold(title=f"Shared libraries: {len(rows)}", blocks=(table,)))
    if environment.packages:
        text = ", ".join(map(_package, environment.packages))
        whole = "" if environment.complete else " (of those that were read)"
        packages = Paragraph(text=text)
        blocks.append(Fold(title=f"Python packages: {len(environment.packages)}{whole}", blocks=(packages,)))
    return tuple(blocks)


def _package(package: Package) -> str:
    variant = f"+{package.variant}" if package.variant else ""
    return f"{package.name} {package.version or 'unknown'}{variant}"
