"""The filters of the review desk, read from an address: known names, checked values, nothing that reaches a query."""

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from annotation.core.rules.error_types import CODE, LONGEST_CODE
from annotation.text.normalise import storage_problem
from annotation.text.tokens import WORD, tokens
from validation.consensus.stages import STAGE_NAMES
from validation.review.rules.assessments import MARKS, RUN, SOURCE_KINDS
from validation.translation.rules import PART_NAMES
from validation.voting.rules.flags import FLAG_NAMES

LONGEST = 200
MOST_ROUND = 9
MOST_PAGE = 100_000
EARLIEST_YEAR, LATEST_YEAR = 1970, 2999
NO_LABEL = "-"
LISTS = ("desk", "items")
# What of Filters stands in an address by itself, or not at all.
NOT_NARROWING = ("round", "page", "of")
# What most people narrow a list by; the other filters are folded away.
FIRST_FIELDS = ("q", "flag", "stage")


class FilterError(ValueError):
    """A filter with a value that it cannot have; `field` is its name in the address."""

    def __init__(self, field: str) -> None:
        self.field = field
        super().__init__(f"{field}: no such value")


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to. `label` is the author's, `gold` may be `-`: none; `person` wrote or voted.

    `check` is set for what waits for a lead's check. `error` is what an item was returned for at some time, in the
    week that begins on `week` (a Monday) where one is given; `writer` wrote it. `target` is the key of a target, `part`
    one of validation.translation.rules. `verdict` is what a reviewer said of a machine's item (`question-typo`),
    `wrote` the recipe, model or run that wrote it (`model:NAME`). `word` stands in what was written, as a whole;
    `labelled` is the label that counts (gold, or the author's where there is none; beside `writer` what the author
    gave), or the class of the option with that word; `sure` is set for what a classifier tells with certainty without
    having seen its source. `group` is the item's category or sentence class. `against` is set for what all people
    answered otherwise than a model.
    """

    flag: str = ""
    stage: str = ""
    round: int | None = None
    label: str = ""
    gold: str = ""
    person: str = ""
    target: str = ""
    q: str = ""
    page: int = 1
    of: str = LISTS[0]
    check: str = ""
    error: str = ""
    writer: str = ""
    week: str = ""
    part: str = ""
    verdict: str = ""
    wrote: str = ""
    word: str = ""
    labelled: str = ""
    sure: str = ""
    group: str = ""
    against: str = ""

    @property
    def narrowed(self) -> bool:
        """Whether anything is filtered at all."""
        return bool(self.fields)

    @property
    def fields(self) -> dict[str, str]:
        """The filters that are set, as an address holds them; page and list are none."""
        named = {name: value for name, value in vars(self).items() if name not in NOT_NARROWING}
        if self.round is not None:
            named["round"] = str(self.round)
        return {name: value for name, value in named.items() if value}

    @property
    def rare(self) -> bool:
        """Whether a filter is set that stands folded away on the page."""
        return not set(self.fields) <= set(FIRST_FIELDS)

    @property
    def query(self) -> str:
        """The filters for a link to another page of the list: ends in `&` where there are any."""
        return urlencode(self.fields) + "&" if self.fields else ""

    @property
    def trail(self) -> str:
        """The filters for a link to an item, with the list that it belongs to."""
        return urlencode({**self.fields, **({"list": self.of} if self.of != LISTS[0] else {})})

    @property
    def spellings(self) -> list[str]:
        """The searched words as texts may hold them: as typed, composed and decomposed."""
        forms = [self.q, unicodedata.normalize("NFC", self.q), unicodedata.normalize("NFD", self.q)]
        return list(dict.fromkeys(forms))


def read_filters(raw: Mapping[str, str], labels: Collection[str], of_list: str = "") -> Filters:
    """Read the filters of an address. Unknown names are ignored; raises `FilterError` for a value that cannot be.

    A name with two underscores is refused: it asks for a column, and no list gives any.
    """
    for name in raw:
        if "__" in name:
            raise FilterError(name)
    return Filters(
        flag=_read_choice(raw, "flag", FLAG_NAMES),
        stage=_read_choice(raw, "stage", STAGE_NAMES),
        round=_number(raw, "round", 0, MOST_ROUND),
        label=_read_choice(raw, "label", labels),
        gold=_read_choice(raw, "gold", [*labels, NO_LABEL]),
        person=_text(raw, "person"),
        target=_text(raw, "target"),
        q=_text(raw, "q"),
        check=_read_choice(raw, "check", ("1",)),
        error=_code(raw, "error"),
        writer=_text(raw, "writer"),
        week=_monday(raw, "week"),
        part=_read_choice(raw, "part", PART_NAMES),
        verdict=_read_choice(raw, "verdict", MARKS),
        wrote=_read_source(raw, "wrote"),
        word=_word(raw),
        labelled=_text(raw, "labelled"),
        sure=_read_choice(raw, "sure", ("1",)),
        group=_text(raw, "group"),
        against=_read_choice(raw, "against", ("1",)),
        page=_number(raw, "page", 1, MOST_PAGE) or 1,
        of=of_list or _read_choice(raw, "list", LISTS) or LISTS[0],
    )


def _text(raw: Mapping[str, str], name: str) -> str:
    value = raw.get(name, "").strip()
    if len(value) > LONGEST or storage_problem(value):
        raise FilterError(name)
    return value


def _word(raw: Mapping[str, str]) -> str:
    """One word, as lexical statistics cut texts into words."""
    value = _text(raw, "word")
    if value and (len(tokens(value)) != 1 or not WORD.match(value)):
        raise FilterError("word")
    return value


def _read_source(raw: Mapping[str, str], name: str) -> str:
    """A recipe, a model or a run, as `recipe:SLUG`, `model:NAME`, `run:NUMBER`."""
    value = _text(raw, name)
    way, _, which = value.partition(":")
    if value and (way not in SOURCE_KINDS or not which or (way == RUN and not _is_number(which))):
        raise FilterError(name)
    return value


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(MOST_PAGE))


def _code(raw: Mapping[str, str], name: str) -> str:
    """A code of an error type; it may be one that the project has no more."""
    value = raw.get(name, "")
    if value and (not CODE.fullmatch(value) or len(value) > LONGEST_CODE):
        raise FilterError(name)
    return value


def _monday(raw: Mapping[str, str], name: str) -> str:
    """The Monday that a week begins on, as ISO 8601 writes a day."""
    value = raw.get(name, "")
    if not value:
        return ""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        raise FilterError(name) from None
    if day.weekday() or day.isoformat() != value or not EARLIEST_YEAR <= day.year <= LATEST_YEAR:
        raise FilterError(name)
    return value


def _read_choice(raw: Mapping[str, str], name: str, known: Collection[str]) -> str:
    value = raw.get(name, "")
    if value and value not in known:
        raise FilterError(name)
    return value


def _number(raw: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    value = raw.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > len(str(most)):
        raise FilterError(name)
    if not least <= int(value) <= most:
        raise FilterError(name)
    return int(value)
