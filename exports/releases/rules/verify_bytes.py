"""Lines of JSON as a build writes them: two readers may take two meanings from anything else.

Of a name that stands twice in an object one reader takes the first value, another the last.
"""

from collections.abc import Iterable
from pathlib import Path

import orjson

from exports.formats.rules.configs import ENDING
from exports.releases.rules.verify import Check


def check_lines(folder: Path, listed: Iterable[str]) -> Check:
    """Every line of JSON Lines that is here against the same line written again, and the order of its names."""
    check = Check("lines of JSON, as a build writes them")
    for name in listed:
        if name.endswith(ENDING) and (folder / name).is_file():
            order: dict[str, int] = {}
            with (folder / name).open("rb") as lines:
                for n, line in enumerate(lines, 1):
                    check.count(_is_written(line, order), f"{name}, line {n}: written again it has other bytes")
    return check


def _is_written(line: bytes, order: dict[str, int]) -> bool:
    """Whether a line is an object as it is written, with its names in this order, which the first one gives."""
    row = orjson.loads(line) if line.strip() else None
    if not isinstance(row, dict) or orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) != line:
        return False
    if not order:
        order.update({name: place for place, name in enumerate(row)})
    places = [order[name] for name in row if name in order]
    return places == sorted(places)
