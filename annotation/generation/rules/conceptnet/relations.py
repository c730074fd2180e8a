"""Which relations questions are made from: the house's 22 (relations.txt says where they come from), or a project's."""

from pathlib import Path

SYNONYM = "Synonym"
_PREFIX = "/r/"


def chosen(text: str) -> tuple[str, ...]:
    """The relations of a list, one a line, `/r/` or not, `#` begins a remark; an empty list is the house's.

    Ordered by name and each once, so that the same list gives the same sets however it was typed.
    """
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    named = {line.removeprefix(_PREFIX).strip("/") for line in lines}
    return tuple(sorted(named - {""})) or RELATIONS


RELATIONS: tuple[str, ...] = ()
RELATIONS = chosen(Path(__file__).with_name("relations.txt").read_text(encoding="utf-8"))
