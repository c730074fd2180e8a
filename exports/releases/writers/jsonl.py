"""JSON Lines: UTF-8, one object a line in the row's own order of keys, `\\n`; U+2028 and the like stand as they are."""

from collections.abc import Sequence

import orjson

from exports.releases.writers.base import Row, Writer


def encode(rows: Sequence[Row]) -> bytes:
    dumps, newline = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    return b"".join([dumps(row, option=newline) for row in rows])


WRITER = Writer(slug="jsonl", suffix=".jsonl", content_type="application/x-ndjson", encode=encode)
