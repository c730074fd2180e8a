"""The part of docs/checks.md that follows from the registry: `python -m tests.conventions.checks_page` prints it."""

import re
import unicodedata
from collections.abc import Iterator

from annotation import kinds
from annotation.kinds.texts import OPTION_PREFIX
from annotation.text import checks
from annotation.text.checks.base import BLOCK, Check, SetContext, SlotText
from annotation.text.common_words import COMMON_FROM
from tests.annotation.text.examples import EXAMPLES

LEVELS = {BLOCK: "Blocks", checks.WARN: "Warns"}
LONGEST = 100


def page_part() -> str:
    """Each kind's checks in its order, then each check with an example that it leaves alone and one that it finds."""
    return "\n\n".join(["\n".join(_table()), *map(_section, _in_order())])


def _table() -> Iterator[str]:
    yield "| kind | checks, in order |"
    yield "|---|---|"
    for kind in kinds.all_kinds():
        links = ", ".join(f"[`{check}`](#{check})" for check in kind.authoring.checks)
        yield f"| {kind.name} | {links} |"


def _in_order() -> list[Check]:
    named = dict.fromkeys(check for kind in kinds.all_kinds() for check in kind.authoring.checks)
    rest = [check for check in checks.all_checks() if check not in named]
    return [checks.get(check) for check in (*named, *rest)]


def _section(check: Check) -> str:
    good, bad = EXAMPLES[check.id].good[0], EXAMPLES[check.id].bad[0]
    found = check.run(bad)[0]
    said = found.message % {name: _visible_value(value) for name, value in found.params.items()}
    return "\n".join(
        (
            f"### {check.id}",
            "",
            f"**{check.title}.** {LEVELS[check.level]}. {_plain(check.catches)}",
            "",
            f"- leaves alone: {_example_in_words(good, bad)}",
            f"- finds: {_example_in_words(bad, good)}",
            f"- says: {_plain(said)}",
        )
    )


def _plain(words: str) -> str:
    """Words that Markdown takes as they are."""
    return words.replace("<", "\\<")


def _example_in_words(context: SetContext, beside: SetContext) -> str:
    """What stands in a set, as it can be read: its texts, and the fields in which it is not like the other one."""
    if context.field_pairs:
        pair = context.field_pairs[0]
        inside = f", in the passage {_code(pair.contained_in)}" if pair.contained_in else ""
        return f"{_code(pair.source)} → {_code(pair.text)}{inside}"
    several = len(context.slots) > 1
    parts = [(f"{slot.label}: " if several else "") + _slot(slot, beside) for slot in context.slots]
    if context.answers:
        parts.append("answers before: " + ", ".join(f"{n} × {label}" for label, n in context.answers.items()))
    if context.word_counts:
        often = [word for word, n in sorted(context.word_counts.items()) if n >= COMMON_FROM]
        parts.append(f"where {', '.join(map(_code, often))} are used often")
    return "; ".join(parts)


def _slot(slot: SlotText, beside: SetContext) -> str:
    other = beside.slots[0].more if beside.slots else {}
    names = [name for name in {**slot.more, **other} if slot.more.get(name) != other.get(name)]
    fields = [f"{name.removeprefix(OPTION_PREFIX)} {_code(slot.more.get(name, ''))}" for name in names]
    return ", ".join((_code(slot.text), *fields))


def _code(text: str) -> str:
    return f"`{_visible_value(text)}`" if text else "nothing"


def _visible_value(value: object) -> str:
    """A value with what cannot be seen made visible, and cut where it is longer than a line or two."""
    text = str(value)
    text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    text = re.sub(r"^ | $|(?<= ) ", "␣", text)
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Mn") or character == "\ufffd"
    return f"[U+{ord(character):04X}]" if hidden else character


if __name__ == "__main__":
    print(page_part())
