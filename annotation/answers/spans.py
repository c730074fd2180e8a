"""Passages of a text: one or several, with or without labels.

Offsets count code points of the stored text, byte for byte as it was given: a CRLF is two, a decomposed letter as many
as it has. `end` is the first character after the passage; the passage itself is stored beside them. A form has a row a
passage: what it says (`-text`), in which text (`-of`), which label (`-label`), which of several equal passages
(`-nth`), and where it stands, where a script knows that (`-start`, `-end`). So it works without scripts: the passage is
copied from the text, or typed as a keyboard writes it. A place that a file or a script gives is kept as it is, blanks
at its ends too; what cannot be kept is a problem.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, TypeGuard

from annotation.answers import tallies
from annotation.answers.base import (
    LONGEST_KEY,
    NO_ANSWER_KEY,
    AggregationRule,
    Answer,
    AnswerProblem,
    AnswerType,
    Column,
    Label,
    PlaceLost,
    Posted,
    Question,
    ShownItem,
    Tally,
    answer_digest,
    as_key,
)
from annotation.answers.single import label_problems
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import whole_number
from annotation.text.places import place_in, places_of, same_words
from annotation.text.tokens import WORD

ROW_FIELDS = ("text", "of", "label", "nth", "start", "end")
# Rows for passages on a card without scripts.
FORM_ROWS = 3


class Spans(AnswerType):
    slug = "spans"
    name = gettext_noop("Text spans")
    help = gettext_noop("Passages of a text, each with a label where there are labels.")
    level = "overlap"
    marks_places = True
    flags = {"boundaries": gettext_noop("the same passage with other ends")}

    def sample(self) -> tuple[Question, ShownItem, tuple[Answer, ...]]:
        labels = (
            Label("PER", gettext_noop("Person"), "P", "circle"),
            Label("LOC", gettext_noop("Place"), "L", "square"),
        )
        question = Question("names", gettext_noop("Mark the names."), "spans", labels, texts=("text",), optional=True)
        shown = ShownItem({"text": "Siti tinggal di Kota Bandung, bukan Kota Bogor."})
        siti = {"of": "text", "start": 0, "end": 4, "text": "Siti", "label": "PER"}
        city = {"of": "text", "start": 16, "end": 28, "text": "Kota Bandung", "label": "LOC"}
        return question, shown, ([siti, city], [siti], [])

    def definition_errors(self, question: Question) -> tuple[tuple[str, str], ...]:
        found = label_problems(question.labels, 0)
        if not question.texts:
            found += (("texts", gettext_noop("names the texts in which passages are marked")),)
        return found

    def parse_form(self, question: Question, posted: Posted, shown: ShownItem) -> Answer:
        found: list[dict[str, Any]] = []
        for row in posted_rows(question, posted):
            if row["text"].strip():
                only = question.texts[0] if len(question.texts) == 1 else ""
                of = shown.stored_key(row["of"]) if row["of"] else only
                passage = _locate_passage(question, {**row, "of": of}, shown)
                if passage not in found:
                    found.append(passage)
        return self.parse_value(question, found, shown)

    def parse_value(self, question: Question, value: object, shown: ShownItem) -> Answer:
        given = [] if value is None else value
        if not isinstance(given, list | tuple):
            raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
        spans = sorted((_read_passage(question, one, shown) for one in given), key=_position_key)
        for one, following in pairwise(spans):
            alike = one["of"] == following["of"] and one["label"] == following["label"]
            if alike and following["start"] < one["end"]:
                raise AnswerProblem(question.key, "spans_overlap", passage=following["text"])
        if not spans and not question.optional:
            raise AnswerProblem(question.key, "span_missing")
        if len(spans) > 1 and not question.several:
            raise AnswerProblem(question.key, "span_one_only")
        return sorted(spans, key=_order_key(question))

    def form_data(self, question: Question, answer: Answer, shown: ShownItem) -> dict[str, list[str]]:
        made: dict[str, list[str]] = {f"{question.field}-{name}": [] for name in ROW_FIELDS}
        for span in answer or ():
            for name in ROW_FIELDS:
                value = shown.stored_key(span["of"]) if name == "of" else str(span.get(name, ""))
                made[f"{question.field}-{name}"].append(value)
        return made

    def template_context(self, question: Question, posted: Posted, shown: ShownItem) -> dict[str, Any]:
        typed = [row for row in posted_rows(question, posted) if any(row[name] for name in ("text", "label"))]
        blank = max(1, FORM_ROWS - len(typed)) if question.several else 1 - min(len(typed), 1)
        empty = dict.fromkeys(ROW_FIELDS, "")
        keys = [shown.stored_key(key) for key in question.texts if key in shown.texts]
        of = [(key, shown.names.get(key, key)) for key in keys]
        return {"rows": [*typed, *[empty] * blank], "of": of}

    def key(self, question: Question, answer: Answer) -> str:
        """`12-20`, `12-20:LOC`, joined by `+`; a digest where that is too long, or of several texts."""
        if not answer:
            return NO_ANSWER_KEY
        if len(question.texts) == 1:
            keys = [f"{one['start']}-{one['end']}" + (f":{one['label']}" if one["label"] else "") for one in answer]
            if len("+".join(keys)) <= LONGEST_KEY:
                return "+".join(keys)
        return answer_digest(answer)

    def display_text(self, question: Question, answer: Answer) -> str:
        names = {label.key: label.name for label in question.labels}
        return "; ".join(_passage_in_words(one, names) for one in answer) or gettext_noop("none")

    def distance(self, question: Question, one: Answer, other: Answer) -> float:
        """1 - F1 of the tokens marked, with their labels (Hripcsak and Rothschild 2005; Rajpurkar et al. 2016)."""
        return 1 - f1(Counter(tokens(one)), Counter(tokens(other)))

    def differences(self, question: Question, one: Answer, other: Answer) -> tuple[str, ...]:
        names = {label.key: label.name for label in question.labels}
        apart = [span for span in one if span not in other] + [span for span in other if span not in one]
        return tuple(_passage_in_words(span, names) for span in sorted(apart, key=_order_key(question)))

    def raised_flags(self, question: Question, answers: Sequence[Answer]) -> Mapping[str, Collection[int]]:
        pairs = combinations(range(len(answers)), 2)
        found = {n for pair in pairs if _differ_at_an_end(answers[pair[0]], answers[pair[1]]) for n in pair}
        return {"boundaries": sorted(found)} if found else {}

    def carried(self, question: Question, answer: Answer, before: ShownItem, now: ShownItem) -> Answer:
        """Each passage where its words stand now; a text that is the same keeps every place."""
        moved = []
        if not isinstance(answer, list | tuple) or not all(_is_possible_passage(question, span) for span in answer):
            raise PlaceLost(str(answer)[:80])
        for span in answer:
            text, new = before.texts.get(span["of"], ""), now.texts.get(span["of"], "")
            place = span["start"], span["end"]
            if text[slice(*place)] != span["text"]:
                raise PlaceLost(span["text"])
            found = place if text == new else place_in(text, new, *place)
            if found is None:
                raise PlaceLost(span["text"])
            moved.append({**span, "start": found[0], "end": found[1]})
        return sorted(moved, key=_order_key(question))

    def tally(self, question: Question, rule: AggregationRule) -> Tally:
        def fits(answer: object) -> bool:
            if not isinstance(answer, list | tuple) or not all(_is_possible_passage(question, one) for one in answer):
                return False
            return bool(answer) or question.optional

        if rule.combine == tallies.WHOLE:
            return tallies.EquivalenceTally(rule, lambda answer: answer_digest(answer) if fits(answer) else None)

        def cells(answer: Any) -> Collection[Hashable] | None:
            return set(_marked_characters(answer)) if fits(answer) else None

        return tallies.PartsTally(rule, cells, lambda within: _join_passages(question, within))

    def columns(self, question: Question) -> tuple[Column, ...]:
        span = {"of": "string", "start": "int64", "end": "int64", "text": "string", "label": "string"}
        return (Column(question.key, [span]),)

    def values(self, question: Question, answer: Answer) -> dict[str, Any]:
        return {question.key: None if answer is None else [dict(one) for one in answer]}


def posted_rows(question: Question, posted: Posted) -> Iterator[dict[str, str]]:
    """The rows of a posted form, each with every field of `ROW_FIELDS`."""
    columns = {name: posted.get(f"{question.field}-{name}", ()) for name in ROW_FIELDS}
    for place in range(len(columns["text"])):
        yield {name: values[place] if place < len(values) else "" for name, values in columns.items()}


def _locate_passage(question: Question, row: Mapping[str, str], shown: ShownItem) -> dict[str, Any]:
    """Where the passage of a row stands: at the place that a script gave, else where its words stand."""
    of, passage = row["of"], row["text"].strip()
    text = shown.texts.get(of) if of in question.texts else None
    if text is None:
        raise AnswerProblem(question.key, "span_text_unknown", passage=row["text"])
    places = places_of(text, passage)
    start, end = (int(row[name][:9]) if _is_digits(row[name]) else -1 for name in ("start", "end"))
    if 0 <= start < end <= len(text) and same_words(text[start:end], passage):
        return {"of": of, "start": start, "end": end, "label": row["label"]}
    # A ballot that an older page kept does not say where it ends.
    places = [place for place in places if place[0] == start] or places
    if not places:
        raise AnswerProblem(question.key, "span_not_there", passage=passage)
    nth = row["nth"].strip()
    if not nth and len(places) > 1:
        raise AnswerProblem(question.key, "span_several_times", passage=passage, times=len(places))
    if nth and not (_is_digits(nth) and 1 <= int(nth[:9]) <= len(places)):
        raise AnswerProblem(question.key, "span_nth_unknown", passage=passage, times=len(places))
    begin, end = places[int(nth) - 1 if nth else 0]
    return {"of": of, "start": begin, "end": end, "label": row["label"]}


def _read_passage(question: Question, value: object, shown: ShownItem) -> dict[str, Any]:
    """One passage of a file or a form, where it says."""
    if not isinstance(value, Mapping):
        raise AnswerProblem(question.key, "answer_unknown", answer=str(value)[:80])
    of = value.get("of") or (question.texts[0] if len(question.texts) == 1 else "")
    text = shown.texts.get(of) if of in question.texts else None
    if text is None:
        raise AnswerProblem(question.key, "span_text_unknown", passage=str(value.get("text", ""))[:80])
    start, end = whole_number(value.get("start")), whole_number(value.get("end"))
    if start is None or end is None:
        places = f"{value.get('start')}, {value.get('end')}"
        raise AnswerProblem(question.key, "span_no_number", places=places[:80])
    if not 0 <= start < end <= len(text):
        raise AnswerProblem(question.key, "span_outside", start=str(start), end=str(end), length=len(text))
    passage = text[start:end]
    if value.get("text", passage) != passage:
        raise AnswerProblem(question.key, "span_text_differs", passage=str(value["text"])[:80], text=passage[:80])
    label = as_key(value.get("label")) or ""
    if label not in (question.keys or ("",)):
        code = "answer_unknown" if label else "span_label_missing"
        raise AnswerProblem(question.key, code, answer=str(label)[:80], passage=passage[:80])
    if not passage.strip():
        raise AnswerProblem(question.key, "span_blank", start=start, end=end, passage=passage[:80])
    return {"of": of, "start": start, "end": end, "text": passage, "label": label}


def _differ_at_an_end(one: Answer, other: Answer) -> bool:
    """Whether two answers mark a common passage from, or to, another place."""
    return any(
        first["of"] == second["of"]
        and first["start"] < second["end"]
        and second["start"] < first["end"]
        and (first["start"], first["end"]) != (second["start"], second["end"])
        for first in one
        for second in other
    )


def _is_digits(text: str) -> bool:
    return text.isdecimal() and text.isascii()


def _is_offset(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _position_key(span: Mapping[str, Any]) -> tuple[Any, ...]:
    return span["of"], span["label"], span["start"], span["end"]


def _order_key(question: Question) -> Any:
    """Passages in the order of the texts, then of the text, then of the labels."""
    keys = ("", *question.keys)
    return lambda span: (
        question.texts.index(span["of"]),
        span["start"],
        span["end"],
        keys.index(span["label"]),
    )


def _passage_in_words(span: Mapping[str, Any], names: Mapping[str, str]) -> str:
    label = names.get(span["label"], span["label"])
    return f"“{span['text']}”" + (f" ({label})" if label else "")


def tokens(answer: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, int, int]]:
    """The words marked, each with its text, its label and its place; a passage without words is one token."""
    for span in answer:
        words = [(found.start(), found.end()) for found in WORD.finditer(span["text"])]
        for begin, end in words or [(0, len(span["text"]))]:
            yield span["of"], span["label"], span["start"] + begin, span["start"] + end


def f1(one: Counter[Any], other: Counter[Any]) -> float:
    """The harmonic mean of precision and recall of two bags; 1 where both are empty."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _is_possible_passage(question: Question, span: object) -> bool:
    """Whether a stored passage can be one of the question: the engine has no text to look it up in."""
    if not isinstance(span, Mapping) or span.get("of") not in question.texts:
        return False
    start, end, text = span.get("start"), span.get("end"), span.get("text")
    if not _is_offset(start) or not _is_offset(end) or not isinstance(text, str):
        return False
    return 0 <= start < end and len(text) == end - start and span.get("label", "") in (question.keys or ("",))


def _marked_characters(answer: Iterable[Mapping[str, Any]]) -> Iterator[Hashable]:
    """Every character marked but blanks at the ends, and every place where a passage begins."""
    for span in answer:
        of, label, text = span["of"], span["label"], span["text"].lstrip()
        start = span["end"] - len(text)
        yield of, label, start, ""
        for place, character in enumerate(text.rstrip(), start):
            yield of, label, place, character


def _join_passages(question: Question, cells: Collection[Any]) -> Answer:
    """The passages that characters make: they end where one is missing, or where another begins."""
    begins = {(of, label, place) for of, label, place, character in cells if not character}
    made: list[dict[str, Any]] = []
    last: tuple[str, str, int] | None = None
    for of, label, place, character in sorted(cell for cell in cells if cell[3]):
        if last == (of, label, place):
            continue
        if last == (of, label, place - 1) and (of, label, place) not in begins:
            made[-1]["text"] += character
        else:
            made.append({"of": of, "start": place, "end": 0, "text": character, "label": label})
        last = of, label, place
    for span in made:
        text = span["text"]
        span["start"] += len(text) - len(text.lstrip())
        span["text"] = text.strip()
        span["end"] = span["start"] + len(span["text"])
    found = sorted((span for span in made if span["text"]), key=_order_key(question))
    return found[:1] if found and not question.several else found or ([] if question.optional else None)


TYPE = Spans()
