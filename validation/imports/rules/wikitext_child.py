"""`python -m validation.imports.rules.wikitext_child`: makes wikitext plain, one page after another, within limits.

Some pages take a parser hours or all memory. Here they end this process and nothing else: the kernel counts, whatever
the parser is in. A page comes with its length in eight bytes; the answer begins with a byte that says what it is.
"""

import resource
import signal
import sys
from typing import BinaryIO

from validation.imports.rules.wikitext import plain_text

# A job has to say within a minute that it goes on.
WALL_SECONDS = 40
# A page of 500,000 ordinary characters takes 60 MiB.
MEMORY_BYTES = 512 << 20
ENDED_BY_TIME = (-signal.SIGPROF, -signal.SIGALRM)
LENGTH_BYTES = 8
READY, TEXT, UNREADABLE, TOO_LARGE = b"r", b"t", b"u", b"m"


def write_frame(stream: BinaryIO, text: str) -> None:
    """A text with its length before it."""
    data = text.encode("utf-8", "surrogatepass")
    stream.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)
    stream.flush()


def read_frame(stream: BinaryIO) -> str | None:
    """A text as `write_frame` wrote it; None where the other side ended."""
    head = stream.read(LENGTH_BYTES)
    length = int.from_bytes(head, "big")
    data = stream.read(length)
    if len(head) < LENGTH_BYTES or len(data) < length:
        return None
    return data.decode("utf-8", "surrogatepass")


def set_limits() -> None:
    """Take no more memory than a page may; end by signals alone that limits send."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGPROF, signal.SIGALRM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started this: it closes the pipe


def set_timers(*, cpu: float, wall: float) -> None:
    """Be ended by the kernel after so many seconds of work, or of time; none with zeros."""
    signal.setitimer(signal.ITIMER_PROF, cpu)
    signal.setitimer(signal.ITIMER_REAL, wall)


def answer_page(wikitext: str) -> tuple[bytes, str]:
    """What became of a page, and its text."""
    try:
        return TEXT, plain_text(wikitext)
    except (MemoryError, SystemError):  # the second one says that C code met the first
        return TOO_LARGE, ""
    except Exception:  # of the parser, which is not ours: a page that it does not take is told of
        return UNREADABLE, ""


def main(cpu: float) -> None:
    """Answer pages until there are no more."""
    set_limits()
    answer_page("[[a]]")  # loads the parser
    out, pages = sys.stdout.buffer, sys.stdin.buffer
    out.write(READY)
    out.flush()
    while (wikitext := read_frame(pages)) is not None:
        set_timers(cpu=cpu, wall=WALL_SECONDS)
        kind, text = answer_page(wikitext)
        set_timers(cpu=0, wall=0)
        out.write(kind)
        write_frame(out, text)


if __name__ == "__main__":
    main(float(sys.argv[1]))
