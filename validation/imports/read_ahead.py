"""Reading ahead: the next batch is read and checked while the database stores this one."""

import threading
from collections.abc import Iterator
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

T = TypeVar("T")
POLL_SECONDS = 0.1


class _End:
    """What the reader sends last: nothing more, or what it raised."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class Ahead(Generic[T]):
    """Iterates over `items` in a thread of its own, `depth` of them ahead. `items` must not touch the database."""

    def __init__(self, items: Iterator[T], depth: int = 1) -> None:
        self._items, self._queue = items, Queue[T | _End](depth)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._read, name="import-reader", daemon=True)

    def __enter__(self) -> Iterator[T]:
        self._thread.start()
        return self._given()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self._queue.get_nowait()
            except Empty:
                self._thread.join(POLL_SECONDS)

    def _given(self) -> Iterator[T]:
        while not isinstance(found := self._queue.get(), _End):
            yield found
        if found.error is not None:
            raise found.error

    def _read(self) -> None:
        try:
            for item in self._items:
                if not self._send(item):
                    return
            self._send(_End())
        except BaseException as error:
            self._send(_End(error))

    def _send(self, item: T | _End) -> bool:
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=POLL_SECONDS)
            except Full:
                continue
            return True
        return False
