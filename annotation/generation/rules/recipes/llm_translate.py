"""Finished questions in another language, kept where they come back as they were (id-csqa §4.1).

Each text is translated by itself and translated back; the whole question with its choices is then compared with the
original by every scorer that there is: chrF always, an embedding endpoint where one is named. It is kept when any of
them reaches the project's `similarity`. A run names for each direction a translation endpoint or a chat model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum, isfinite, sqrt
from typing import Any

from annotation.generation.rules.recipes import base
from annotation.generation.rules.recipes.answers import Translated, Vector
from annotation.generation.rules.recipes.base import (
    Ask,
    AskResult,
    Asks,
    Fault,
    Frame,
    Outcome,
    Recipe,
    Step,
    Takes,
    Work,
)
from annotation.generation.rules.recipes.forms import ITEM, ItemData
from annotation.generation.rules.recipes.wording import choices_fault, comparison_form
from annotation.generation.rules.recipes.written import concept_fault, content_faults
from annotation.text.gettext import gettext_noop

# A likeness is kept to so many digits.
DIGITS = 6


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """One work: the question as it stands in the other project."""
    return [Work(material, material, group, data, ItemData.model_validate(dict(data)).content(material))]


def _original_texts(work: Work) -> list[str]:
    """The question and its choices in the language that they were written in."""
    given = ItemData.model_validate(dict(work.data))
    return [given.question, *(option.text for option in given.options)]


def _source_language(work: Work) -> str:
    return ItemData.model_validate(dict(work.data)).language


# --- there and back -------------------------------------------------------------------------------


def _to_translate(work: Work) -> list[str]:
    return [str(work.content["concept"]), *_original_texts(work)]


def _is_untranslated(work: Work) -> bool:
    return not base.making_of(work.content).get("translated")


def _needs_back_translation(work: Work) -> bool:
    """Whether it was translated and is not back yet."""
    return not _is_untranslated(work) and "back" not in base.making_of(work.content)


def _ask_forward(*, chat: bool) -> Asks:
    """One question for each text of each work, every text once."""
    return lambda frame, works: [
        ask
        for work in filter(_is_untranslated, works)
        for ask in _ask(work, _to_translate(work), _source_language(work), frame.language, chat)
    ]


def _ask_back(*, chat: bool) -> Asks:
    return lambda frame, works: [
        ask
        for work in filter(_needs_back_translation, works)
        for ask in _ask(work, base.question_texts(work.content), frame.language, _source_language(work), chat)
    ]


def _ask(work: Work, wanted: Sequence[str], source: str, target: str, chat: bool) -> list[Ask]:
    name, languages = "translate-text" if chat else "", {"source": source, "target": target}
    once = dict.fromkeys(text for text in wanted if comparison_form(text))
    return [Ask((work.key,), name, {"text": text, **languages}, Translated) for text in once]


def _translation_by_text(answered: Sequence[AskResult], wanted: Sequence[str]) -> Callable[[str], str] | None:
    """What each text was translated into, nothing being itself; None where one of those wanted was not translated."""
    translations = {
        given.ask.values["text"]: given.answer.text for given in answered if isinstance(given.answer, Translated)
    }
    missing = any(text not in translations for text in wanted if comparison_form(text))
    return None if missing else lambda text: translations.get(text, text)


def _take_translation(frame: Frame, work: Work, answered: Sequence[AskResult]) -> Outcome:
    """The question in the project's language; what holds nothing to translate stays as it is."""
    translate = _translation_by_text(answered, _to_translate(work))
    if translate is None:
        return base.unusable_outcome(work, answered)
    options = [{**option, "text": translate(str(option["text"]))} for option in work.content["options"]]
    concept, question = (translate(str(work.content[name])) for name in ("concept", "question"))
    content = {**work.content, "concept": concept, "question": question, "options": options}
    content = base.with_making(content, translated=True)
    fault = next(content_faults(frame, content), None) or choices_fault(base.option_texts(content))
    return base.change_unless_fault(work, content, fault or concept_fault(frame, concept, question))


def _take_back_translation(frame: Frame, work: Work, answered: Sequence[AskResult]) -> Outcome:
    """What the question and its choices are when they are translated back, kept with the making of the question."""
    wanted = base.question_texts(work.content)
    translate = _translation_by_text(answered, wanted)
    if translate is None:
        return base.unusable_outcome(work, answered)
    return base.changed_outcome(work, base.with_making(work.content, back=[translate(text) for text in wanted]))


# --- how like it is -------------------------------------------------------------------------------


def chrf(text: str, original: str) -> float:
    """chrF2 of a text against the original (sacrebleu's defaults: letters in threes to sixes, no words), 0 to 1."""
    from sacrebleu import sentence_chrf  # heavy, and needed by jobs alone

    if not text.strip() or not original.strip():
        return 0.0
    return round(min(max(sentence_chrf(text, [original]).score / 100, 0.0), 1.0), DIGITS)


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The cosine of two vectors; None where they cannot be compared: of different lengths, empty, or all zero."""
    mine, theirs = _unit_vector(one), _unit_vector(other)
    if len(one) != len(other) or mine is None or theirs is None:
        return None
    return round(min(max(fsum(a * b for a, b in zip(mine, theirs, strict=True)), -1.0), 1.0), DIGITS)


def _unit_vector(vector: Sequence[float]) -> list[float] | None:
    """The vector at length 1; scaled first, so that neither huge nor tiny numbers run out of a float."""
    largest = max((abs(value) for value in vector), default=0.0)
    if not largest or not isfinite(largest):
        return None
    scaled = [value / largest for value in vector]
    length = sqrt(fsum(value * value for value in scaled))
    return [value / length for value in scaled]


def _ask_likeness(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [
        Ask((work.key,), "", {"text": text}, Vector)
        for work in works
        if "back" in base.making_of(work.content)
        for text in dict.fromkeys(("\n".join(_original_texts(work)), "\n".join(base.making_of(work.content)["back"])))
    ]


def _take_likeness(scorer: str) -> Takes:
    def score(frame: Frame, work: Work, answered: Sequence[AskResult]) -> Outcome:
        """The cosine of the two texts under this scorer's name; a scorer that did not answer drops nothing."""
        vectors = {
            given.ask.values["text"]: given.answer.vector for given in answered if isinstance(given.answer, Vector)
        }
        one = vectors.get("\n".join(_original_texts(work)))
        other = vectors.get("\n".join(base.making_of(work.content).get("back", ())))
        likeness = cosine(one, other) if one and other else None
        if likeness is None:
            return base.kept_outcome(work)
        scores = {**base.making_of(work.content).get("scores", {}), scorer: likeness}
        return replace(
            base.changed_outcome(work, base.with_making(work.content, scores=scores)),
            params={"scores": scores},
        )

    return base.each_answers(score)


def _filter_by_score(frame: Frame, work: Work) -> Outcome:
    """Kept when any scorer reaches the project's similarity; the scores go with the outcome either way."""
    making = base.making_of(work.content)
    if not making.get("translated"):
        return base.dropped_outcome(work, "not_translated")
    if "back" not in making:
        return base.dropped_outcome(work, "not_scored")
    letters = chrf("\n".join(making["back"]), "\n".join(_original_texts(work)))
    scores = {"chrf": letters, **making.get("scores", {})}
    content = base.with_making(work.content, scores=scores)
    params = {"scores": scores, "best": max(scores.values()), "least": frame.settings.similarity}
    if params["best"] < params["least"]:
        return base.refused_outcome(content, Fault("similarity_low", params))
    return replace(base.changed_outcome(work, content), params=params)


NAMES = {
    "translate": gettext_noop("Translation"),
    "translate-chat": gettext_noop("Translation by a language model"),
    "back-translate": gettext_noop("Translation back"),
    "back-translate-chat": gettext_noop("Translation back by a language model"),
    "likeness-1": gettext_noop("Likeness by the first model"),
    "likeness-2": gettext_noop("Likeness by the second model"),
}


def _direction_steps(slug: str, asks: Callable[..., Asks], takes: Takes) -> Iterator[Step]:
    """A direction by a translation endpoint or by a chat model; both are optional."""
    yield Step(slug, NAMES[slug], takes, asks(chat=False), base.TRANSLATION, optional=True)
    by_chat, how = f"{slug}-chat", {"temperature": 0.0}
    yield Step(by_chat, NAMES[by_chat], takes, asks(chat=True), base.CHAT, ("translate-text",), how, optional=True)


def _likeness_step(scorer: str) -> Step:
    takes = _take_likeness(scorer)
    return Step(scorer, NAMES[scorer], takes, _ask_likeness, base.EMBEDDING, optional=True)


RECIPE = Recipe(
    slug="llm-translate",
    name=gettext_noop("Questions translated by a machine"),
    description=gettext_noop(
        "Finished questions of another project in this project's language, translated and translated back; kept where "
        "any measure of likeness finds them as they were (id-csqa §4.1)."
    ),
    sort=ITEM,
    material_name=gettext_noop("question to translate"),
    material_plural=gettext_noop("questions to translate"),
    material_form=ItemData,
    build_works=begin,
    steps=(
        *_direction_steps("translate", _ask_forward, base.each_answers(_take_translation, _is_untranslated)),
        *_direction_steps(
            "back-translate", _ask_back, base.each_answers(_take_back_translation, _needs_back_translation)
        ),
        _likeness_step("likeness-1"),
        _likeness_step("likeness-2"),
        Step("score", gettext_noop("Likeness"), apply_answers=base.each_work(_filter_by_score)),
    ),
    is_reviewed=True,
)
