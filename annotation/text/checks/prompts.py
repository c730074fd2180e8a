"""Cultural prompts: their parts, and three to five responses on each side, one the best (Kalahi §3.1, Table 2)."""

from collections.abc import Callable, Iterable, Iterator

from annotation.elicitation.rules.prompts import (
    CONTEXT,
    INSTRUCTION,
    PART_LINES,
    PART_MISSING,
    PERSONAL,
    USER,
    Parts,
    part_faults,
)
from annotation.elicitation.rules.responses import (
    BEST,
    FEWEST,
    IRRELEVANT,
    RELEVANT,
    Found,
    Response,
    counts,
    lengths,
    near,
    repeated,
    separators,
)
from annotation.kinds.base import OPTION
from annotation.text.checks.base import BLOCK, WARN, Hit, SetContext, SlotText, check
from annotation.text.gettext import gettext_noop

# The first letter of a response's key says on which side the form has it: R1 to R5, I1 to I5.
SIDES = {"R": RELEVANT, "I": IRRELEVANT}


def responses_of(slot: SlotText) -> list[Response]:
    """The responses that hold something, with their roles as the form says them; relevant ones come first."""
    best = slot.more.get(BEST, "")
    return [
        Response(key, text, BEST if key == best and side == RELEVANT else side)
        for key, text in sorted(slot.options, key=lambda option: (option[0][:1] != "R", option[0]))
        if text.strip() and (side := SIDES.get(key[:1], ""))
    ]


def _parts(slot: SlotText) -> Parts:
    more = slot.more
    return Parts(more.get(USER, ""), more.get(CONTEXT, ""), more.get(PERSONAL, ""), slot.text)


@check(BLOCK, gettext_noop("No context"))
def context_missing(context: SetContext) -> Iterator[Hit]:
    """A prompt that does not say what the situation is."""
    for slot in context.slots:
        if any(fault.code == PART_MISSING and fault.part == CONTEXT for fault in part_faults(_parts(slot))):
            yield (
                slot.key,
                gettext_noop("Say what the situation is: every prompt has a context."),
                {"field": CONTEXT},
            )


@check(BLOCK, gettext_noop("A part has several lines"))
def parts_one_line(context: SetContext) -> Iterator[Hit]:
    """A line break in the user, the personal situation or the instruction of a prompt."""
    message = gettext_noop(
        "This has to be one line: line breaks tell the parts of a prompt apart. Only a context may have several."
    )
    for slot in context.slots:
        for fault in part_faults(_parts(slot)):
            if fault.code == PART_LINES:
                yield slot.key, message, {} if fault.part == INSTRUCTION else {"field": fault.part}


@check(BLOCK, gettext_noop("No category"))
def category_missing(context: SetContext) -> Iterator[Hit]:
    """A prompt without a category."""
    for slot in context.slots:
        if not slot.more.get("category", "").strip():
            yield slot.key, gettext_noop("Choose the category."), {"field": "category"}


def _least(context: SetContext) -> int:
    least = context.settings.get("least_responses", FEWEST)
    return least if isinstance(least, int) else FEWEST


@check(BLOCK, gettext_noop("Too few responses"))
def responses_few(context: SetContext) -> Iterator[Hit]:
    """Fewer relevant or irrelevant responses than the project asks for (`least_responses`, 3), or more than five."""
    messages = {
        "relevant_count": (
            RELEVANT,
            gettext_noop("%(least)s to %(most)s relevant responses are needed; there are %(n)s."),
        ),
        "irrelevant_count": (
            IRRELEVANT,
            gettext_noop("%(least)s to %(most)s irrelevant responses are needed; there are %(n)s."),
        ),
    }
    for slot in context.slots:
        for found in counts(responses_of(slot), _least(context)):
            if found.code in messages:
                side, message = messages[found.code]
                yield slot.key, message, {**found.params, "field": side}


@check(BLOCK, gettext_noop("No best response"))
def best_missing(context: SetContext) -> Iterator[Hit]:
    """A prompt of which no relevant response is called the best."""
    message = gettext_noop("Choose which of the relevant responses is the best.")
    for slot in context.slots:
        if not any(response.role == BEST for response in responses_of(slot)):
            yield slot.key, message, {"field": BEST}


def _pairs(
    context: SetContext, rule: Callable[[list[Response]], Iterable[Found]], words: dict[str, str]
) -> Iterator[Hit]:
    """What a rule says of two responses, at the second of them."""
    for slot in context.slots:
        for found in rule(responses_of(slot)):
            params = {**found.params, "field": OPTION + found.key, "other_option": found.params["other"]}
            params.pop("other")
            yield slot.key, words[found.code], params


@check(BLOCK, gettext_noop("A response stands there twice"))
def responses_twice(context: SetContext) -> Iterator[Hit]:
    """Two responses that are the same but for case, blanks and outer marks, on one side or on both."""
    words = {
        "response_twice": gettext_noop("This response says the same as %(other_option)s."),
        "response_both": gettext_noop(
            "This response says the same as %(other_option)s, which is on the other side: it cannot be both."
        ),
    }
    yield from _pairs(context, repeated, words)


@check(WARN, gettext_noop("Two responses are nearly the same"))
def responses_near(context: SetContext) -> Iterator[Hit]:
    """Two responses that differ in a few letters only (90 of 100 alike)."""
    message = gettext_noop("This response is nearly the same as %(other_option)s.")
    yield from _pairs(context, near, {"response_near": message})


@check(WARN, gettext_noop("The best response is told by its length"))
def best_by_length(context: SetContext) -> Iterator[Hit]:
    """A best response that is longer or shorter than every irrelevant one by half as much again."""
    words = {
        "best_longer": gettext_noop(
            "The best response has %(best)s characters and the longest irrelevant one %(other_length)s: its length "
            "gives it away."
        ),
        "best_shorter": gettext_noop(
            "The best response has %(best)s characters and the shortest irrelevant one %(other_length)s: its length "
            "gives it away."
        ),
    }
    for slot in context.slots:
        for found in lengths(responses_of(slot)):
            params = {"best": found.params["best"], "other_length": found.params["other"]}
            yield slot.key, words[found.code], params | {"field": OPTION + slot.more[BEST]}


@check(WARN, gettext_noop("A response holds a semicolon"))
def response_semicolon(context: SetContext) -> Iterator[Hit]:
    """A response with the mark by which Kalahi's CSV tells responses apart."""
    message = gettext_noop(
        "Kalahi's CSV separates responses by semicolons: with one inside, this prompt cannot be exported that way."
    )
    for slot in context.slots:
        for found in separators(responses_of(slot)):
            yield slot.key, message, {"field": OPTION + found.key}


@check(BLOCK, gettext_noop("A variation with the same personal situation"))
def variation_same(context: SetContext) -> Iterator[Hit]:
    """A variation whose personal situation is that of the prompt that it started from."""
    message = gettext_noop(
        "This is the personal situation of the prompt that you started from: a variation has another one."
    )
    for slot in context.slots:
        if context.origin and slot.more.get(PERSONAL, "").strip() == context.origin.get(PERSONAL, "").strip():
            yield slot.key, message, {"field": PERSONAL}
