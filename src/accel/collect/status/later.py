"""What happened to a fault later in the text: an event, a run that works, a closed record."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final

from accel.collect.status.evidence import (
    answers,
    counts_none,
    is_next_attempt,
    is_row,
    is_same_command,
    is_same_program,
    shows_fault_counts,
    shows_no_fault,
    shows_wellness,
    shows_work,
)
from accel.collect.status.faults import SURE, is_sure, kind_of
from accel.collect.status.place import Places, doubt_of
from accel.collect.status.told import Told
from accel.model.observation import Observation
from accel.text.clauses import tells_of_trouble
from accel.text.pattern import pattern
from accel.text.records import Records, is_entry, is_record, records_of
from accel.text.ruling import Event, Ruling
from accel.text.segments import Run

_OVER: Final = ("solved", "works", "listed", "closed", "outcome")
_IN_A_PROGRAM: Final = pattern(r"\w(?:Error|Exception)\b|\b(?:torch|jax|tensorflow|onnxruntime|docker|container)\b")
_ABSENT: Final = pattern(  # messages that say that no device can be seen
    r"fallen off|\blost\b|mismatch|communicate|no devices|insert|denied|not loaded|rejected|not found in directory"
)
_WRITES: Final = pattern(r">{1,2}[ ]?([\w./-]{1,80})")
_MOST: Final = 400  # lines without faults that may show that all is well; the last ones count
_TURNS: Final = ("repaired", "now", "works", "solved")


class Later:
    """Rulings based on what comes later in a text.

    trouble_lines  the lines that state a fault or sound like one
    """

    def __init__(self, observations: Sequence[Observation], told: Told, places: Places) -> None:
        self._told = told
        self._places = places
        self._of_runs: dict[int, Ruling | None] = {}
        self.is_unsolved = told.says("unsolved", "ask")
        troubles = [one for one in observations if one.line and kind_of(one) in (*SURE, "complaint")]
        self.trouble_lines = {line for one in troubles for line in self._lines_of(one)}
        pairs = list(zip(observations, places.first, strict=True))
        raw = [(one, ruling) for one, ruling in pairs if one.line and any(map(told.is_output, self._lines_of(one)))]
        self._faulty = sorted(
            {one.line or 0 for one, ruling in raw if is_sure(one) and (ruling is None or ruling.weak)}
        )
        self._sounds_faulty = any(
            ruling is None and (is_sure(one) or kind_of(one) == "complaint") for one, ruling in raw
        )
        self._is_plan = any(one.whole_text("hypothetical") for one in told.prose)
        self._last_recurring = max((event.line for event in told.events if event.kind == "recurring"), default=0)
        self._last_doubt = max((event.place for event in told.events if event.kind == "unsolved"), default=0)
        self._last_unsolved = max((event.line for event in told.events if event.kind == "unsolved"), default=0)

    @cached_property
    def _is_worked_around(self) -> bool:
        """Whether the writer works around the fault, and asks for a fix below that: it is still present."""
        kinds = enumerate(self._told.segments.kinds, 1)
        written = [n for n, kind in kinds if kind in ("prose", "output")]
        around = next((n for n in written if self._told.has("workaround", n)), len(self._told.segments.kinds))
        return any(self._told.text(n).rstrip().endswith(("?", "？")) for n in written if n > around)

    def _lines_of(self, one: Observation) -> Iterator[int]:
        """Yield the lines of a fault up to the next command: no message continues after one."""
        for line in range(one.line or 0, (one.last_line or one.line or 0) + 1):
            if line != one.line and (self._told.segments.kind(line) == "command" or is_entry(self._told.text(line))):
                return
            yield line

    def is_closed_record(self, one: Observation) -> bool:
        """Return whether a fault is a row of a list or a table whose end says that it is closed."""
        line = one.line or 0
        if one.line != (one.last_line or one.line) and self._told.segments.kind(line) != "prose":
            return False
        neighbours = [n for n in (line - 1, line + 1) if self._told.segments.kind(n) != "blank"]
        listed = any(
            self._told.segments.kind(n) == "prose" or is_record(self._told.text(n)) or self._told.is_item(n)
            for n in neighbours
        )
        text = self._told.text(line)
        if not listed or not is_row(text):
            return False
        half = len(text) // 2
        return self._told.has("ended", line, half) and not self._told.has("pending", line, half)

    def by_events(self, one: Observation, here: Ruling | None) -> Ruling | None:
        """Judge a fault by what the writer says happened to it. here: a weak ruling from its place."""
        line = one.line or 0
        if said := self.said_over(line, here):
            return said
        past = here is not None and here.weak and here.status == "past"
        if self._last_recurring or self._is_worked_around:  # help for a while, or until the next boot, is no help
            return None
        above = [e for e in self._told.events if e.line < line and not self._is_about_another(e, line)]
        above = [e for e in above if not self._places.frames.is_of_another(e)]
        told = next((e.line for e in above if e.kind in ("closed", "solved")), None)
        solved = any(e.kind == "solved" for e in above) and not self._faulty
        solved &= told is not None and not any(e.kind == "present" and e.line >= told for e in self._told.events)
        if told is not None and self._last_unsolved < told and (past or solved or self._is_well_after(line)):
            return Ruling("past", f"resolved according to line {told}", tentative=True)
        if here is not None and past and self._last_unsolved < line and self._is_well_after(line):
            return Ruling("past", here.reason)
        if here is not None and here.weak and here.status == "elsewhere" and not (self._faulty or self._last_unsolved):
            return Ruling("elsewhere", here.reason)
        if self._last_unsolved > line:
            return None
        if self._told.is_answered_after(line, self.trouble_lines) and not self._is_faulty_after(line):
            return Ruling("past", "its tool answers on the repaired machine")
        good = self._work_after(line)
        return Ruling("past", f"well in line {good}", tentative=True) if good else None

    def said_over(self, line: int, here: Ruling | None = None) -> Ruling | None:
        """Judge a line by what the writer says below it: that it is solved, or works."""
        over = [event for event in self._told.events if event.line >= line and self._is_over(event, line, here)]
        if over:
            last = max((n for n, kind in enumerate(self._told.segments.kinds, 1) if kind != "blank"), default=0)
            ends = any(event.kind == "solved" and event.line == last for event in over)
            ends &= not self.is_unsolved or self._told.is_final(last)
            ends |= any(event.kind == "outcome" for event in over)
            return Ruling("past", f"resolved according to line {over[0].line}", tentative=not ends)
        if self._is_solved_note(line):
            return Ruling("past", "the writer says that it works now, and how", tentative=True)
        return None

    def _is_over(self, event: Event, line: int, here: Ruling | None) -> bool:
        if event.kind not in _OVER or event.place < self._last_doubt or event.line <= self._last_recurring:
            return False
        if self._places.frames.is_about_something_else(line, event):
            return False
        if self._is_faulty_after(event.line) or self._is_workaround(event.line):
            return False
        in_a_program = _IN_A_PROGRAM.search(self._told.text(line)) is not None
        if in_a_program and (event.kind == "listed" or self._places.frames.is_about_a_tool(event)):
            return False  # a tool lists the device, or works, and the program may still not use it
        if event.kind == "listed" and event.line > line and _ABSENT.search(self._told.text(line)):
            return not any(e.kind in ("ask", "present") and e.place > event.place for e in self._told.events)
        needs_repair = event.kind in ("works", "listed")
        return not needs_repair or self._is_repaired(line, event) or (here is not None and here.weak)

    def _is_solved_note(self, line: int) -> bool:
        """Return whether a text without questions says that it works now, with the fix headed below a fault."""
        if self._is_titled_solved:
            return True
        now = {event.line for event in self._told.events if event.kind == "now"}
        works = any(event.kind in ("works", "solved") and event.line in now for event in self._told.events)
        if self.is_unsolved or not works:
            return False
        count = len(self._told.segments.kinds)
        return any(self._told.fills("cure", n) for n in range(line + 1, count + 1))

    @cached_property
    def _is_titled_solved(self) -> bool:
        """Whether a text's title announces a solution, and nothing in the text says that the fault is still present."""
        kinds = self._told.segments.kinds
        title = next((n for n, kind in enumerate(kinds, 1) if kind != "blank"), 0)
        open_ended = self._told.text(title).rstrip().endswith(("?", "？")) or self._told.has("reopened", title)
        if not self._told.opens("titled", title) or open_ended:
            return False
        return not (self._told.says("unsolved", "recurring") or self._told.ends_in_a_question)

    def _is_about_another(self, event: Event, line: int) -> bool:
        """Return whether an event above a fault is about another one: of somebody else, or in an earlier post."""
        first, here = self._records.entry(event.line), self._records.entry(line)
        earlier = event.line < line and here is not None and first is not None and first != here
        return earlier or (event.kind == "solved" and self._places.frames.are_apart(line, event))

    def _is_workaround(self, line: int) -> bool:
        """Return whether a line says under which condition it works, in a text that still asks."""
        return self._told.says("ask") and self._told.has("condition", line) and not self._told.is_final(line)

    def by_records(self, one: Observation) -> Ruling | None:
        """Judge a log entry by the later ones, if they say what was done and report no trouble."""
        newer, line = self._newer, one.line or 0
        if newer is None or line >= newer or self._records.entry(line) is None:
            return None
        later = [event for event in self._told.events if event.line >= newer]
        if any(event.kind in ("unsolved", "ask", "present") for event in later):
            return None
        posts = self._records.are_posts
        done = any(event.kind in (*_OVER, "well") or (event.kind == "repaired" and not posts) for event in later)
        good = [s for n, s in self._telling if n >= newer and not (shows_fault_counts(s) or tells_of_trouble(s))]
        if posts:
            good = [text for text in good if shows_work(text) or shows_wellness(text) or shows_no_fault(text)]
        if not (done or good):
            return None
        return Ruling("past", f"later entries, from line {newer}, report no trouble")

    @cached_property
    def _newer(self) -> int | None:
        """The line of the first entry below everything that sounds like trouble."""
        starts = self._records.starts
        inside = [line for line in self.trouble_lines if starts and line >= starts[0]]
        return self._records.after(max(inside)) if inside else None

    @cached_property
    def _records(self) -> Records:
        told = self._told
        written = (n for n, kind in enumerate(told.segments.kinds, 1) if kind in ("prose", "output"))
        return records_of([(n, told.text(n)) for n in written if told.run_at(n) is None])

    def by_boots(self, line: int) -> Ruling | None:
        """Judge an entry by a later boot in the same log without a fault, if the writer did something in between."""
        boot = self._told.last_boot
        if not line < boot or self._is_faulty_after(boot) or self.is_unsolved or not self._told.says(*_TURNS):
            return None
        return Ruling("past", f"not in the boot that begins in line {boot}", tentative=True)

    def by_runs(self, one: Observation) -> Ruling | None:
        """Judge by a later run of the same command without a fault, or of the same program doing its work."""
        run = self._told.run_at(one.line or 0)
        if run is None:
            return self._by_attempts(one.line or 0)
        if run.line not in self._of_runs:
            self._of_runs[run.line] = self._by_run(run)
        return self._of_runs[run.line]

    def _by_attempts(self, line: int) -> Ruling | None:
        """Judge an attempt that failed by a later one of the same step: "[test 1/3] retry 2: ok"."""
        told = self._told.text(line)
        good = next((n for n, text in self._telling if n > line and is_next_attempt(text, told)), 0)
        good = good if good in self._well or good in self._at_work else 0
        return Ruling("past", f"a later attempt is well in line {good}") if good else None

    def _by_run(self, run: Run) -> Ruling | None:
        runs = self._told.segments.runs
        below = [one for one in runs if one.line > run.last and not self._told.is_in_other_image(run.line, one.line)]
        again = [later for later in below if is_same_command(run, later)]
        if not any(line > run.last and self._told.run_at(line) in again for line in self._faulty):
            for later in again:
                if self._ends_well(later):
                    over = Ruling("past", f"it works in line {later.line}")
                    return over if self._last_unsolved <= later.line else None
        if self.is_unsolved:
            return None
        variant = next((later for later in reversed(below) if is_same_program(run, later)), None)
        if variant is not None and self._does_its_work(variant):
            return Ruling("past", f"it works in line {variant.line}", tentative=True)
        return None

    def _does_its_work(self, run: Run) -> bool:
        """Return whether a run, or the log that it writes, shows the actual work, and no line below shows a fault."""
        if self._is_faulty_after(run.line):
            return False
        log = _WRITES.search(run.command)
        runs = [
            run,
            *(r for r in self._told.segments.runs if log and r.line > run.line and log[1] in r.command.split()),
        ]
        return any(shows_work(self._told.text(n)) for one in runs for n in range(one.first, one.last + 1))

    def _ends_well(self, run: Run) -> bool:
        segments = self._told.segments
        printed = [line for line in range(run.first, run.last + 1) if segments.kind(line) != "blank"]
        if printed:
            return not any(line in self.trouble_lines for line in printed)
        return run is not segments.runs[-1] and run.line < len(segments.kinds) - 1  # else its output may be cut off

    def by_whole_text(self, one: Observation) -> Ruling | None:
        """Judge mentions in the prose of a text that is a plan or says that nothing is wrong, and shows no fault."""
        line = one.line or 0
        weak = doubt_of(one)
        written = weak is not None and weak.status == "quoted"  # a line by a person, whatever its kind
        if (self._told.is_output(line) and not written) or self._sounds_faulty:
            return None
        if kind_of(one) == "noted" and weak is None:
            return None  # most notes in prose are no faults
        if self._told.says("unsolved", "present", "recurring"):
            return None
        if self._is_plan:
            return Ruling("hypothetical", "a plan")
        if weak is not None and weak.status == "quoted" and not (self.is_unsolved or self._told.ends_in_a_question):
            if not self._told.says("well", "solved", "works", "closed"):
                if self._told.bug_form_headings and not self._told.has_form:
                    return None
                return Ruling("unclear", "in quotation marks: whether it applies here is unclear")
            return Ruling("quoted", "in quotation marks, and nobody says that it applies here", tentative=True)
        if weak is not None and weak.status == "past" and not self.is_unsolved and not self._told.says("now"):
            return Ruling("past", f"{weak.reason}, and nobody says that it still applies", tentative=True)
        if not self._told.says("well"):
            return None
        return Ruling("negated", "the text says that everything works", tentative=True)

    def _work_after(self, line: int) -> int | None:
        """Return a line below that shows the work being done, under no other condition, if nothing below shows a
        fault.
        """
        if self._is_faulty_after(line):
            return None
        turn = next((e.line for e in self._told.events if e.kind in _TURNS and e.line >= line), None)
        told, failed = self._told.text(line), self._told.run_at(line)
        for below, text in self._clean_below(line):
            if below in self._under_other_conditions or self._told.is_in_other_image(line, below):
                continue
            written = self._told.segments.kind(below) == "prose"
            there = (event for event in self._told.events if event.line == below)
            if written and any(map(self._places.frames.is_of_another, there)):
                continue
            if below in self._at_work and not (written and not self._told.says(*_TURNS, "well", line=below)):
                return below
            if written:
                continue
            run = self._told.run_at(below)
            if run is not None and (answers(told, failed, run) or counts_none(text, run)):
                return below
            if below in self._well and ((turn is not None and turn <= below) or (is_record(text) and is_record(told))):
                return below
        if self._told.segments.kind(line) != "prose" and turn is None:
            return None
        frames, program = self._places.frames, _IN_A_PROGRAM.search(told) is not None
        good = (e for e in self._told.events if e.kind == "well" and e.line > line)
        good = (e for e in good if not (program and frames.is_about_a_tool(e)))
        said = (e.line for e in good if not frames.is_about_something_else(line, e))
        return next((n for n in said if not (self._told.has("hedged", n) or self._told.has("before", n))), None)

    def _is_well_after(self, line: int) -> bool:
        """Return whether something below shows that all is well, and nothing there shows a fault."""
        events: Sequence[Event] = self._told.events
        if self._is_faulty_after(line) or any(e.kind in ("unsolved", "present") and e.line > line for e in events):
            return False
        good = (e for e in events if e.kind in ("well", "works", "listed", "solved") and e.line >= line)
        if any(not self._places.frames.are_apart(line, e) for e in good):
            return True
        texts = [text for _, text in self._clean_below(line)]
        if any(shows_fault_counts(text) for text in texts):
            return False
        return any(shows_work(text) or shows_wellness(text) or shows_no_fault(text) for text in texts)

    def _is_faulty_after(self, line: int) -> bool:
        return bool(self._faulty) and self._faulty[-1] > line

    def _is_repaired(self, first: int, event: Event) -> bool:
        """Return whether something was repaired since a line: before what is listed, or with what works."""
        repaired = (e for e in self._told.events if e.kind == "repaired" and first <= e.line <= event.line)
        return any(event.kind != "listed" or e.place < event.place for e in repaired)

    def _has_other_condition(self, line: int) -> bool:
        """Return whether the lead-in of an output names another condition under which it works: that fixes nothing."""
        head = self._told.lead_of(line)
        if head is None or self._told.says("now", "repaired", "solved", line=head):
            return False
        return any(self._told.has(kind, head) for kind in ("variant", "condition", "other"))

    def _clean_below(self, line: int) -> Iterator[tuple[int, str]]:
        """Yield (line, text) of prose and of other output below that states no fault."""
        lead, run = self._told.lead_of(line), self._told.run_at(line)
        for below, text in self._telling[bisect_right(self._telling, line, key=itemgetter(0)) :]:
            if (
                below in self._written
                or (run is None and below in self._entries)
                or self._told.lead_of(below) != lead
                or self._told.run_at(below) != run
            ):
                yield below, text

    @cached_property
    def _written(self) -> frozenset[int]:
        return frozenset(line for line, _ in self._telling if self._told.segments.kind(line) == "prose")

    @cached_property
    def _entries(self) -> frozenset[int]:
        return frozenset(line for line, text in self._telling if is_entry(text))

    @cached_property
    def _telling(self) -> tuple[tuple[int, str], ...]:
        """The lines without faults that may show that all is well, which are few even in a long log."""
        found = []
        first: set[int] = {run.first for run in self._told.segments.runs}
        for line, kind in enumerate(self._told.segments.kinds, 1):
            if kind not in ("output", "prose") or line in self.trouble_lines:
                continue
            text = self._told.text(line)
            telling = shows_work(text) or shows_wellness(text) or shows_no_fault(text) or shows_fault_counts(text)
            if telling or line in first:
                found.append((line, text))
        return tuple(found[-_MOST:])

    @cached_property
    def _at_work(self) -> frozenset[int]:
        return frozenset(line for line, text in self._telling if shows_work(text))

    @cached_property
    def _well(self) -> frozenset[int]:
        return frozenset(line for line, text in self._telling if shows_wellness(text))

    @cached_property
    def _under_other_conditions(self) -> frozenset[int]:
        return frozenset(line for line, _ in self._telling if self._has_other_condition(line))
