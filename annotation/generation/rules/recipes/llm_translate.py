"""Finished questions in another language, kept where they come back as they were (id-csqa §4.1).

Each text is translated by itself and translated back; the whole question with its choices is then compared with the
original by every scorer that there is: chrF always, an embedding endpoint where one is named. It is kept when any of
them reaches the project's `similarity`. A run names for each direction a translation endpoint or a chat model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.generation.rules.recipes import whole
from annotation.generation.rules.recipes.answers import Translated, Vector
from annotation.generation.rules.recipes.base import (
    CHAT,
    EMBEDDING,
    TRANSLATION,
    Answered,
    Ask,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
    changed,
    dropped,
    gettext_noop,
    kept,
)
from annotation.generation.rules.recipes.forms import ITEM, ItemData
from annotation.generation.rules.recipes.likeness import chrf, cosine
from annotation.generation.rules.recipes.making import (
    about,
    choices_fault,
    made,
    refused,
    texts,
    unless,
    unusable,
    with_made,
)
from annotation.generation.rules.recipes.wording import Fault, same

CHRF = "chrf"
EMBEDDINGS = ("likeness-1", "likeness-2")


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """One work: the question as it stands in the other project."""
    given = ItemData.model_validate(dict(data))
    content = {**given.content(), "made": {"level": "", "set": material, "from": given.id}}
    return [Work(material, material, group, data, content)]


def _original(work: Work) -> list[str]:
    """The question and its choices in the language that they were written in."""
    given = ItemData.model_validate(dict(work.data))
    return [given.question, *(option.text for option in given.options)]


def _source(work: Work) -> str:
    return ItemData.model_validate(dict(work.data)).language


def _asks(
    works: Sequence[Work], said: Callable[[Work], Sequence[str]], to: Mapping[str, str], chat: bool
) -> list[Ask]:
    """One question for each text of each work, every text once; `to` has the languages, as the endpoint wants them."""
    return [
        Ask((work.key,), "translate-text" if chat else "", {"text": text, **to}, Translated)
        for work in works
        for text in dict.fromkeys(said(work))
        if same(text)
    ]


def _by_text(answered: Sequence[Answered]) -> dict[str, str]:
    """What became of each text."""
    return {
        given.ask.values["text"]: given.answer.text
        for given in answered
        if isinstance(given.answer, Translated)
    }


# --- there -----------------------------------------------------------------------------------------------------------


def _there(work: Work) -> list[str]:
    return [str(work.content["concept"]), *_original(work)]


def _untranslated(works: Sequence[Work]) -> list[Work]:
    return [work for work in works if not made(work.content).get("translated")]


def _ask_there(chat: bool) -> Callable[[Frame, Sequence[Work]], list[Ask]]:
    def asks(frame: Frame, works: Sequence[Work]) -> list[Ask]:
        return [
            ask
            for work in _untranslated(works)
            for ask in _asks([work], _there, {"source": _source(work), "target": frame.language}, chat)
        ]

    return asks


def _take_there(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """The question in the project's language; one that was translated by an earlier step stays."""
    by_work = about(answered)
    left = {work.key for work in _untranslated(works)}
    return {
        work.key: _translated(frame, work, by_work.get(work.key, ())) if work.key in left else kept(work)
        for work in works
    }


def _translated(frame: Frame, work: Work, answered: Sequence[Answered]) -> Outcome:
    found = _by_text(answered)
    if any(text not in found for text in _there(work) if same(text)):
        return unusable(work, answered)
    content = with_made(_in_words_of(work.content, found), translated=True)
    fault = next(whole.said_faults(frame, content), None) or choices_fault(texts(content))
    return unless(work, content, fault or whole.concept_fault(frame, content["concept"], content["question"]))


def _in_words_of(content: Mapping[str, Any], found: Mapping[str, str]) -> dict[str, Any]:
    """The content with each text as it was translated; what holds nothing to translate stays as it is."""

    def said(text: str) -> str:
        return found.get(text, text)

    options = [{**option, "text": said(str(option["text"]))} for option in content["options"]]
    changed_texts = {name: said(str(content[name])) for name in ("concept", "question")}
    return {**content, **changed_texts, "options": options}


# --- and back --------------------------------------------------------------------------------------------------------


def _back(work: Work) -> list[str]:
    return [str(work.content["question"]), *texts(work.content)]


def _to_return(works: Sequence[Work]) -> list[Work]:
    """Those that were translated and are not back yet."""
    return [
        work for work in works if made(work.content).get("translated") and "back" not in made(work.content)
    ]


def _ask_back(chat: bool) -> Callable[[Frame, Sequence[Work]], list[Ask]]:
    def asks(frame: Frame, works: Sequence[Work]) -> list[Ask]:
        return [
            ask
            for work in _to_return(works)
            for ask in _asks([work], _back, {"source": frame.language, "target": _source(work)}, chat)
        ]

    return asks


def _take_back(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """What the question and its choices are when they are translated back, told in the making of the question."""
    by_work = about(answered)
    due = {work.key for work in _to_return(works)}
    return {
        work.key: _returned(work, by_work.get(work.key, ())) if work.key in due else kept(work)
        for work in works
    }


def _returned(work: Work, answered: Sequence[Answered]) -> Outcome:
    found = _by_text(answered)
    said = _back(work)
    if any(text not in found for text in said if same(text)):
        return unusable(work, answered)
    return changed(work, with_made(work.content, back=[found.get(text, text) for text in said]))


# --- how like it is --------------------------------------------------------------------------------------------------


def _lines(said: Sequence[str]) -> str:
    return "\n".join(said)


def _ask_likeness(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [
        Ask((work.key,), "", {"text": text}, Vector)
        for work in works
        if "back" in made(work.content)
        for text in dict.fromkeys((_lines(_original(work)), _lines(made(work.content)["back"])))
    ]


def _take_likeness(name: str) -> Callable[[Frame, Sequence[Work], Sequence[Answered]], dict[str, Outcome]]:
    def take(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
        by_work = about(answered)
        return {work.key: _scored(work, by_work.get(work.key, ()), name) for work in works}

    return take


def _scored(work: Work, answered: Sequence[Answered], name: str) -> Outcome:
    """The cosine of the two texts under this scorer's name; a scorer that did not answer drops nothing."""
    vectors = {
        given.ask.values["text"]: given.answer.vector
        for given in answered
        if isinstance(given.answer, Vector)
    }
    one = vectors.get(_lines(_original(work)))
    other = vectors.get(_lines(made(work.content).get("back", ())))
    score = cosine(one, other) if one and other else None
    if score is None:
        return kept(work)
    scores = {**made(work.content).get("scores", {}), name: score}
    return replace(changed(work, with_made(work.content, scores=scores)), params={"scores": scores})


def _take_scores(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """Kept when any scorer reaches the project's similarity; the scores are told either way."""
    return {work.key: _judged(frame, work) for work in works}


def _judged(frame: Frame, work: Work) -> Outcome:
    told = made(work.content)
    if not told.get("translated"):
        return dropped(work, "not_translated")
    if "back" not in told:
        return dropped(work, "not_scored")
    letters = chrf(_lines(told["back"]), _lines(_original(work)))
    scores = {CHRF: letters, **told.get("scores", {})}
    content = with_made(work.content, scores=scores)
    best, least = max(scores.values()), frame.settings.similarity
    if best < least:
        return refused(
            work, content, Fault("similarity_low", {"scores": scores, "best": best, "least": least})
        )
    return replace(changed(work, content), params={"scores": scores, "best": best, "least": least})


def _likeness(name: str, n: int) -> Step:
    return Step(
        slug=name,
        name=(gettext_noop("Likeness by the first model"), gettext_noop("Likeness by the second model"))[n],
        asks=_ask_likeness,
        takes=_take_likeness(name),
        asked=EMBEDDING,
        optional=True,
    )


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
    material=ItemData,
    begin=begin,
    steps=(
        Step(
            slug="translate",
            name=gettext_noop("Translation"),
            asks=_ask_there(chat=False),
            takes=_take_there,
            asked=TRANSLATION,
            optional=True,
        ),
        Step(
            slug="translate-chat",
            name=gettext_noop("Translation by a language model"),
            asks=_ask_there(chat=True),
            takes=_take_there,
            asked=CHAT,
            instructions=("translate-text",),
            parameters={"temperature": 0.0},
            optional=True,
        ),
        Step(
            slug="back-translate",
            name=gettext_noop("Translation back"),
            asks=_ask_back(chat=False),
            takes=_take_back,
            asked=TRANSLATION,
            optional=True,
        ),
        Step(
            slug="back-translate-chat",
            name=gettext_noop("Translation back by a language model"),
            asks=_ask_back(chat=True),
            takes=_take_back,
            asked=CHAT,
            instructions=("translate-text",),
            parameters={"temperature": 0.0},
            optional=True,
        ),
        *(_likeness(name, n) for n, name in enumerate(EMBEDDINGS)),
        Step("score", gettext_noop("Likeness"), takes=_take_scores),
    ),
    reviewed=True,
)
