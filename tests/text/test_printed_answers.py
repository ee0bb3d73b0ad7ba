"""Values that one line of Python printed, each behind the expression that it answers."""

import pytest

from accel.text.printed_answers import with_answers_apart


@pytest.mark.parametrize(
    ("asked", "answer", "apart"),
    [
        (">>> a.version, b.count()", "('12.4', (12, 0))", ">>> a.version = '12.4'; b.count() = (12, 0)"),
        ("In [3]: a.list(), b", "Out[3]: (['x', 'y'], 2)", "In [3]: a.list() = ['x', 'y']; b = 2"),
        ("print(a.version, b.pair(), c())", "2.1 (8, 6) True", "print(a.version = 2.1; b.pair() = (8, 6); c() = True"),
        ("print(a.get_name(0), b)", "Tesla K40c 7", "print(a.get_name(0) = Tesla K40c; b = 7"),
        ("print('GPU works:', b)", "GPU works: False", "print(b = False"),
    ],
)
def test_each_value_follows_its_expression(asked: str, answer: str, apart: str) -> None:
    assert with_answers_apart(f"{asked}\n{answer}\nrest") == f"{apart}\n\nrest"


def test_a_tuple_may_wrap() -> None:
    assert with_answers_apart(">>> a, b\n('1',\n 'two')\n>>> ") == ">>> a = '1'; b = 'two'\n\n\n>>> "


@pytest.mark.parametrize(
    "text",
    [
        ">>> a, b = f(1, 2), 3\n(4, 5)",  # an assignment prints nothing
        ">>> a, b, c\n('1', 2)",  # the answer of something else
        ">>> a, b\n('1', 2",  # truncated
        "print(a, b)\nsomething else entirely",
    ],
)
def test_what_does_not_pair_stays(text: str) -> None:
    assert with_answers_apart(text) == text
