"""Wikitext to plain text by another process, which is started again when a page ended it."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from annotation.text.gettext import gettext_noop
from validation.imports.rules import FileRefused
from validation.imports.rules.snippets import DocumentSkipped
from validation.imports.rules.wikitext_child import (
    ENDED_BY_TIME,
    READY,
    TEXT,
    TOO_LARGE,
    UNREADABLE,
    read_frame,
    write_frame,
)

ROOT = Path(__file__).resolve().parents[2]
CHILD = "validation.imports.rules.wikitext_child"
# A page of 500,000 ordinary characters takes one.
CPU_SECONDS: float = 10
# Each of them has taken all its seconds.
MOST_SLOW_PAGES = 50
_RULE_BY_ANSWER = {UNREADABLE: "unreadable", TOO_LARGE: "too_large"}


class WikitextReader:
    """Makes pages plain. The process is started with the first page, so that files without wikitext start none."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._slow = 0

    def __enter__(self) -> "WikitextReader":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def plain_text(self, title: str, wikitext: str) -> str:
        """The text of a page. Raises DocumentSkipped for one that cannot be read, FileRefused after too many."""
        child = self._child or self._start()
        pages, answers = _pipes(child)
        try:
            write_frame(pages, wikitext)
            kind, text = answers.read(1), read_frame(answers)
        except BrokenPipeError:
            kind, text = b"", None
        if kind == TEXT and text is not None:
            return text
        rule = _RULE_BY_ANSWER.get(kind) or _why_it_ended(child)
        self._end()  # also one that answered: what it has asked of memory it may keep
        if rule == "too_slow":
            self._count_slow(title)
        raise DocumentSkipped(rule)

    def _count_slow(self, title: str) -> None:
        self._slow += 1
        if self._slow > MOST_SLOW_PAGES:
            message = gettext_noop(
                "More than %(most)s pages take too long to read, the last one is “%(title)s”. "
                "Leave them out of the file."
            )
            raise FileRefused("pages_slow", message, most=MOST_SLOW_PAGES, title=title)

    def _start(self) -> subprocess.Popen[bytes]:
        # It reads what strangers wrote: of the environment it gets where modules are, and no secret.
        child = subprocess.Popen(
            [sys.executable, "-m", CHILD, str(CPU_SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self._child = child
        if _pipes(child)[1].read(1) != READY:
            self._end()
            raise RuntimeError(f"{CHILD} did not start: exit code {child.returncode}")
        return child

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            with suppress(BrokenPipeError), self._child:  # what was not sent yet
                self._child = None


def _why_it_ended(child: subprocess.Popen[bytes]) -> str:
    return "too_slow" if child.wait() in ENDED_BY_TIME else "too_large"


def _pipes(child: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    return cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
