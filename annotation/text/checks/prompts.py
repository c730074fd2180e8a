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
    FEWEST_RELEVANT,
    IRRELEVANT,
    MESSAGES,
    RELEVANT,
    Fault,
    Response,
    check_counts,
    check_lengths,
    check_near,
    check_repeated,
    check_separators,
)
from annotation.kinds.texts import OPTION_PREFIX
from annotation.text.checks.base import BLOCK, WARN, FindingHit, SetContext, SlotText, check
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
def context_missing(context: SetContext) -> Iterator[FindingHit]:
    """A prompt that does not say what the situation is."""
    for slot in context.slots:
        if any(fault.code == PART_MISSING and fault.part == CONTEXT for fault in part_faults(_parts(slot))):
            yield (
                slot.key,
                gettext_noop("Say what the situation is: every prompt has a context."),
                {"field": CONTEXT},
            )


@check(BLOCK, gettext_noop("A part has several lines"))
def parts_one_line(context: SetContext) -> Iterator[FindingHit]:
    """A line break in the user, the personal situation or the instruction of a prompt."""
    message = gettext_noop(
        "This has to be one line: line breaks tell the parts of a prompt apart. Only a context may have several."
    )
    for slot in context.slots:
        for fault in part_faults(_parts(slot)):
            if fault.code == PART_LINES:
                yield slot.key, message, {} if fault.part == INSTRUCTION else {"field": fault.part}


@check(BLOCK, gettext_noop("No category"))
def category_missing(context: SetContext) -> Iterator[FindingHit]:
    """A prompt without a category."""
    for slot in context.slots:
        if not slot.more.get("category", "").strip():
            yield slot.key, gettext_noop("Choose the category."), {"field": "category"}


@check(BLOCK, gettext_noop("Too few responses"))
def responses_few(context: SetContext) -> Iterator[FindingHit]:
    """Fewer relevant or irrelevant responses than the project asks for (`least_responses`, 3), or more than five."""
    setting = context.settings.get("least_responses", FEWEST_RELEVANT)
    least = setting if isinstance(setting, int) else FEWEST_RELEVANT
    sides = {"relevant_count": RELEVANT, "irrelevant_count": IRRELEVANT}
    for slot in context.slots:
        for fault in check_counts(responses_of(slot), least):
            if fault.code in sides:
                yield slot.key, MESSAGES[fault.code], {**fault.params, "field": sides[fault.code]}


@check(BLOCK, gettext_noop("No best response"))
def best_missing(context: SetContext) -> Iterator[FindingHit]:
    """A prompt of which no relevant response is called the best."""
    for slot in context.slots:
        if not any(response.role == BEST for response in responses_of(slot)):
            yield slot.key, MESSAGES["best_count"], {"field": BEST}


def _faults_by_rule(context: SetContext, rule: Callable[[list[Response]], Iterable[Fault]]) -> Iterator[FindingHit]:
    """What a rule finds in the responses of each slot, at the response that it is about."""
    for slot in context.slots:
        for fault in rule(responses_of(slot)):
            yield slot.key, MESSAGES[fault.code], {**fault.params, "field": OPTION_PREFIX + fault.key}


@check(BLOCK, gettext_noop("A response is written twice"))
def responses_twice(context: SetContext) -> Iterator[FindingHit]:
    """Two responses that are the same but for case, blanks and outer marks, on one side or on both."""
    yield from _faults_by_rule(context, check_repeated)


@check(WARN, gettext_noop("Two responses are nearly the same"))
def responses_near(context: SetContext) -> Iterator[FindingHit]:
    """Two responses that differ in a few letters only (90 of 100 alike)."""
    yield from _faults_by_rule(context, check_near)


@check(WARN, gettext_noop("The length of the best response reveals it"))
def best_by_length(context: SetContext) -> Iterator[FindingHit]:
    """A best response that is longer or shorter than every irrelevant one by half as much again."""
    yield from _faults_by_rule(context, check_lengths)


@check(WARN, gettext_noop("A response holds a semicolon"))
def response_semicolon(context: SetContext) -> Iterator[FindingHit]:
    """A response with the mark that separates responses in Kalahi's CSV."""
    yield from _faults_by_rule(context, check_separators)


@check(BLOCK, gettext_noop("A variation with the same personal situation"))
def variation_same(context: SetContext) -> Iterator[FindingHit]:
    """A variation whose personal situation is that of the prompt that it started from."""
    message = gettext_noop(
        "This is the personal situation of the prompt that you started from: a variation has another one."
    )
    for slot in context.slots:
        if (
            context.origin_fields
            and slot.more.get(PERSONAL, "").strip() == context.origin_fields.get(PERSONAL, "").strip()
        ):
            yield slot.key, message, {"field": PERSONAL}
