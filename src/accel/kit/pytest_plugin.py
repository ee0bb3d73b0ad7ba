"""The kit in a plugin's own test suite: one test per rule, named by its sentence. In the plugin's pyproject.toml:

    [tool.pytest.ini_options]
    addopts = "-p accel.kit.pytest_plugin --accel-plugin acme --accel-level monitor"

A fault fails its test. An unproven rule also fails, up to the level of --accel-level; above it, it is skipped.
The plugin must be installed:  pip install -e .
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

from accel.kit.requirement import LEVELS, Outcome, Rule
from accel.kit.requirements import all_rules
from accel.kit.result import Result
from accel.model.errors import AccelError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("accel", "the conformance kit of accel")
    group.addoption("--accel-plugin", metavar="NAME", help="try this plugin, one test a rule")
    group.addoption("--accel-machines", metavar="FOLDER", help="recordings to use for those that the plugin ships")
    group.addoption("--accel-level", choices=LEVELS, default=LEVELS[0], help="the level that must be proven (discover)")
    group.addoption("--accel-result", metavar="FILE", help="write the result there, to ship as conformance.json")


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the tests
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the kit's tests, unless the user named specific tests."""
    name = config.getoption("--accel-plugin")
    if name and not any("::" in argument for argument in config.args):
        items += Kit.from_parent(session, name=f"accel plugins check {name}", plugin=name).collect()


class Kit(pytest.Collector):
    """The collector of rules. The plugin is tried once, when the first test runs."""

    def __init__(self, *, plugin: str, **more: Any) -> None:
        super().__init__(**more)
        self._plugin = plugin

    def collect(self) -> list[pytest.Item]:
        return [RuleTest.from_parent(self, name=f"{rule.name}: {rule.title}", rule=rule) for rule in all_rules()]

    @cached_property
    def result(self) -> Result:
        from pathlib import Path

        from accel.kit.result import write_result
        from accel.kit.run import check_plugin

        result = check_plugin(self._plugin, machines=self.config.getoption("--accel-machines"))
        file = self.config.getoption("--accel-result")
        if file:
            write_result(result, Path(file))
        return result


class Broken(Exception):
    """A rule that is broken or not proven; pytest shows its text."""


class RuleTest(pytest.Item):
    """The test of one rule."""

    parent: Kit

    def __init__(self, *, rule: Rule, **more: Any) -> None:
        super().__init__(**more)
        self._rule = rule

    def runtest(self) -> None:
        outcome = next(o for o in self.parent.result.outcomes if o.rule == self._rule.name)
        if outcome.status == "not applicable":
            pytest.skip(f"does not apply: {outcome.note}")
        wanted = LEVELS.index(self.config.getoption("--accel-level"))
        if outcome.status == "not proven" and LEVELS.index(outcome.level) > wanted:
            pytest.skip(f"not proven: {outcome.note}")
        if outcome.status != "passed":
            raise Broken("\n".join(_lines(outcome)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, Broken | AccelError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        return self._rule.run.__module__, None, self.name


def _lines(outcome: Outcome) -> Iterator[str]:
    for fault in outcome.faults:
        yield f"{fault.sentence}{f'  ({fault.where})' if fault.where else ''}"
        yield f"  -> {fault.remedy}"
    if outcome.note:
        yield outcome.note if outcome.faults else f"{outcome.status}: {outcome.note}"
