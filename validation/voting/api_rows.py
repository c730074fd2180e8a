"""The form of a card over the API, and of its answer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from annotation.answers import FIELD_PREFIX, Label, Question, type_of, types_by_slug
from annotation.api.wire import Body, Row
from annotation.core.errors import Invalid
from annotation.core.messages import PASS_REASONS, problem_words
from validation.voting.check_findings import ShownFinding
from validation.voting.models.vote import Vote
from validation.voting.queries import SeenItem
from validation.voting.rules.option_order import labels_shown
from validation.voting.views.cards import ShownText, build_card, typed_from_vote

LONGEST_TEXT = 100_000
TYPED_FIELDS = ("label", "unsure", "ambiguous", "comment", "personal", "error", "text_error")
FLAGS = ("unsure", "ambiguous")
# Criteria, of which one may be a list of objects.
DEEPEST = 4


class TextRow(Row):
    """A text to read. `beside` is the text that it says in another language; `widget` how it is drawn where it is no
    plain text (image, audio, table, texts, dialogue), `alt` what an image shows, or
    what is heard."""

    key = serializers.CharField()
    name = serializers.CharField()
    text = serializers.CharField()
    beside = serializers.CharField()
    given = serializers.BooleanField()
    widget = serializers.CharField()
    alt = serializers.CharField()
    found = serializers.ListField(child=serializers.DictField(), help_text="What checks found in it.")


class ChoiceRow(Row):
    """A label to choose. Of the item's own options `key` is the letter that this person is shown."""

    key = serializers.CharField()
    name = serializers.CharField()


class LabelRow(ChoiceRow):
    """A label of a question, a point of a scale, or a side of a preference: `A` is the first text on this card."""

    letter = serializers.CharField()
    help = serializers.CharField()


class PartRow(Row):
    """A question, in the language of whoever asks. `type` is its answer type; `low` and `high` are the ends of a scale;
    `texts` the keys of the texts that passages are marked in, or of the two that are compared; `tie`: neither may be
    better; `several`: more than one passage; `longest`: characters of a free text."""

    key = serializers.CharField()
    text = serializers.CharField()
    help = serializers.CharField()
    type = serializers.ChoiceField(list(types_by_slug()))
    labels = LabelRow(many=True)
    low = serializers.CharField()
    high = serializers.CharField()
    texts = serializers.ListField(child=serializers.CharField())
    tie = serializers.BooleanField()
    several = serializers.BooleanField()
    optional = serializers.BooleanField()
    longest = serializers.IntegerField()


class QuestionRow(PartRow):
    """A question of a card. `parts` are the criteria: one answer has them all, by their keys."""

    parts = PartRow(many=True)


class CardRow(Row):
    """What is judged, as its page shows it. `token` is what the answer goes to; `typed` what was said before it was
    taken back. `choices` are the labels where one is asked for, `questions` what is asked where that is more; `ticks`
    what can be ticked beside the answer."""

    token = serializers.CharField()
    question = serializers.CharField()
    language = serializers.CharField()
    texts = TextRow(many=True)
    corrections = serializers.ListField(child=serializers.CharField(), help_text="Texts that can be corrected.")
    choices = ChoiceRow(many=True)
    questions = QuestionRow(many=True)
    ticks = serializers.ListField(child=serializers.ChoiceField(FLAGS))
    marks = serializers.ListField(child=serializers.CharField())
    asks_why = serializers.BooleanField()
    error_types = ChoiceRow(many=True)
    typed = serializers.DictField()


class WorkRow(Row):
    """The next item; null where nothing waits. `owes` says what has to come first: a `signature` on the page, the
    `quiz`, or a lead's `decision` on one's pause. `more_by`: by when what rests before voting will be there."""

    card = CardRow(allow_null=True)
    owes = serializers.ChoiceField(["signature", "quiz", "decision"], allow_null=True)
    more_by = serializers.DateTimeField(allow_null=True)


class StayRow(Row):
    """Until when the card may be answered."""

    until = serializers.DateTimeField()


class AnswersField(serializers.DictField):
    """Answers by the keys of their questions, each as its answer type has it (docs/api.md)."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ValidationError where something is nested deeper than any answer is."""
        read = super().to_internal_value(data)
        for key, answer in read.items():
            if not _is_nested_at_most(answer, DEEPEST):
                words = problem_words("answers_nested")
                raise serializers.ValidationError({key: [serializers.ErrorDetail(words, "nested")]})
        return read


def _is_nested_at_most(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    within = value.values() if isinstance(value, dict) else value
    return levels > 1 and all(_is_nested_at_most(one, levels - 1) for one in within)


class VoteIn(Body):
    """A vote, in the names of the card: `label` where it has choices, `answers` where it has questions."""

    label = serializers.CharField(max_length=40, default="", allow_blank=True)  # type: ignore[assignment]
    answers = AnswersField(default=dict)
    unsure = serializers.BooleanField(default=False)
    ambiguous = serializers.BooleanField(default=False)
    comment = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    text_error = serializers.BooleanField(default=False)
    question_ambiguous = serializers.BooleanField(default=False)
    options_ambiguous = serializers.ListField(child=serializers.CharField(max_length=4), default=list, max_length=26)
    personal = serializers.CharField(max_length=4, default="", allow_blank=True)
    error = serializers.CharField(max_length=60, default="", allow_blank=True)
    corrections = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False), default=dict
    )


class SkipIn(Body):
    """Why somebody does not answer."""

    reason = serializers.ChoiceField(list(PASS_REASONS))
    words = serializers.CharField(max_length=250, default="", allow_blank=True)


@contextmanager
def errors_named_as_sent() -> Iterator[None]:
    """Refused answers name the question as a script sends it, in the words of the pages."""
    try:
        yield
    except Invalid as refusal:
        if not refusal.field.startswith(FIELD_PREFIX):
            raise
        field = f"answers.{refusal.field.removeprefix(FIELD_PREFIX)}"
        raise Invalid(problem_words(refusal.code) % refusal.details, field=field, code=refusal.code) from None


def _translated(text: str) -> str:
    return gettext(text) if text else ""


def _label(label: Label) -> dict[str, str]:
    name = label.name if label.is_item_option else _translated(label.name)
    return {"key": label.key, "name": name, "letter": label.letter, "help": _translated(label.help)}


def question_row(question: Question, seen: SeenItem) -> dict[str, Any]:
    """A question as `QuestionRow` has it."""
    plain = ("key", "texts", "tie", "several", "optional", "longest")
    words = ("text", "help", "low", "high")
    return {
        **{name: getattr(question, name) for name in plain},
        **{name: _translated(getattr(question, name)) for name in words},
        "type": question.answer_type,
        "labels": [_label(label) for label in type_of(question).choices(question, seen.card_view)],
        "parts": [question_row(part, seen) for part in question.parts],
    }


def _found(found: tuple[ShownFinding, ...]) -> list[dict[str, Any]]:
    return [{"words": one.words, "why": one.why} for one in found]


def _text(one: ShownText) -> dict[str, Any]:
    names = ("key", "text", "beside", "given", "widget", "alt")
    plain = {name: getattr(one, name) for name in names}
    return {**plain, "name": _translated(one.name), "found": _found(one.check_findings)}


def card_row(seen: SeenItem, vote: Vote | None = None) -> dict[str, Any]:
    """A card as `CardRow` has it, with the vote that was taken back."""
    prior: Mapping[str, Any] = typed_from_vote(vote, seen.order) if vote else {}
    card = build_card(seen, dict(prior))
    typed = {name: prior[name] for name in TYPED_FIELDS if prior.get(name)}
    if vote and seen.card_questions:
        typed["answers"] = {
            each.key: type_of(each).to_card_value(each, vote.answers[each.key], seen.card_view)
            for each in seen.leaf_questions
            if each.key in vote.answers
        }
        typed.pop("label", None)
    labels = () if seen.card_questions else labels_shown(seen.kind, seen.content, seen.order)
    return {
        "token": card.token,
        "question": card.question,
        "language": card.language,
        "texts": [_text(one) for one in (*card.texts, *card.options)],
        "corrections": [one.key for one in card.corrections],
        "choices": [{"key": label.key, "name": _label(label)["name"]} for label in labels],
        "questions": [question_row(question, seen) for question in seen.card_questions],
        "ticks": [flag for flag in FLAGS if flag not in card.hidden_marks],
        "marks": list(card.ambiguity_marks),
        "asks_why": card.asks_why,
        "error_types": [{"key": key, "name": name} for key, name in card.review.errors] if card.review else [],
        "typed": typed,
    }
