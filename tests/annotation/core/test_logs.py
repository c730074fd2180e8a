"""What logs say of errors: class and place in one line of JSON, never the message."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
import structlog
from celery import Celery
from django.db import Error, connection

from config import logs

TYPED = "what somebody typed"
Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    """Everything that this process logs meanwhile, read as JSON; that Python's logging fails is an error."""
    monkeypatch.setattr(logging, "raiseExceptions", False)
    failed: list[logging.LogRecord] = []
    given, stream = logs.config("INFO")["formatters"]["json"], StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(given.pop("()")(**given))
    monkeypatch.setattr(handler, "handleError", failed.append)
    root = logging.getLogger()
    root.addHandler(handler)

    def read() -> list[dict[str, Any]]:
        assert failed == []
        assert TYPED not in stream.getvalue()
        return [json.loads(line) for line in stream.getvalue().splitlines()]

    yield read
    root.removeHandler(handler)


def fails() -> None:
    raise ValueError(TYPED)


def raised() -> ValueError:
    try:
        fails()
    except ValueError as error:
        return error
    raise AssertionError


def the_exception(log: Any) -> None:
    log.error("it_failed", exc_info=raised(), n=3)


def what_python_says_of_it(log: Any) -> None:
    try:
        fails()
    except ValueError:
        log.warning("it_failed", exc_info=sys.exc_info(), n=3)


def the_one_at_hand(log: Any) -> None:
    try:
        fails()
    except ValueError:
        log.exception("it_failed", n=3)


@pytest.mark.parametrize("say", [the_exception, what_python_says_of_it, the_one_at_hand])
def test_class_and_place_of_an_error(lines: Lines, say: Callable[[Any], None]) -> None:
    say(structlog.get_logger("some"))
    (line,) = lines()
    assert (line["event"], line["n"], line["exception"]) == ("it_failed", 3, "ValueError")
    assert line["at"][-1].startswith("core/test_logs.py:")
    assert line["at"][-1].endswith(" fails")


@pytest.mark.django_db
def test_the_causes_of_an_error(lines: Lines) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM nowhere")
    except Error as error:
        structlog.get_logger("some").error("it_failed", exc_info=error)
    (line,) = lines()
    assert (line["exception"], line["causes"]) == ("ProgrammingError", ["UndefinedTable"])


def test_libraries_that_log_an_error(lines: Lines) -> None:
    log = logging.getLogger("a.library")
    log.error("%s: %s", "failed", TYPED, exc_info=raised())
    log.error("%(name)s of %(n)d", {"name": "one", "n": 2})
    log.error("100 % of it")
    one, two, three = lines()
    assert (one["event"], one["exception"]) == ("%s: %s", "ValueError")
    assert (two["event"], three["event"]) == ("one of 2", "100 % of it")


def test_a_task_that_fails(lines: Lines) -> None:
    """Celery puts the exception's message and its traceback into what it logs."""
    with Celery("tests", set_as_current=False, broker="memory://") as app:
        app.task(name="tests.fails")(fails).apply()
    (line,) = lines()
    assert (line["event"], line["task"], line["exception"]) == ("task_failed", "tests.fails", "ValueError")
    assert line["at"][-1].endswith(" fails")


def test_nothing_is_said_of_an_error_that_is_none(lines: Lines) -> None:
    structlog.get_logger("some").exception("it_was_said", n=1)
    (line,) = lines()
    assert {"exception", "at", "exc_info"} & set(line) == set()
