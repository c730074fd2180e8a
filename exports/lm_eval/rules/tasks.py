"""What is asked of a model on a config of a release: tasks for lm-evaluation-harness, one file a prompt.

Pure. A sort of task knows its documents (exports.lm_eval.rules.task_docs), the prompts of the papers, and what stands
in a prompt: `{{name}}` and nothing else of the harness's language, since a template is a program where it is run. A
project's own prompts are asked as the first one of their sort is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.answers import type_of
from annotation.kinds import Kind
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.tasks.rules.reading import SLUG_PREFIX
from annotation.text.gettext import gettext_noop
from annotation.translation.rules.source_units import SHAPES
from exports.aligned.rules.rows import OPEN, SENTENCE
from exports.formats.rules.configs import Config

LONGEST, LONGEST_NAME = 8000, 40
NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_PLACEHOLDER = re.compile(r"\{\{ *([a-z]+) *\}\}")
# What begins or ends anything in the harness's templates.
_TEMPLATE_MARKS = re.compile(r"\{[{%#]|[}%#]\}")
# A brace at a place's own would be read with it.
_TOO_MANY = re.compile(r"\{{3}|\}{3}")

CHOOSE, MC, LETTER, WORDS, TRANSLATE = "choose", "mc", "letter", "words", "translate"


@dataclass(frozen=True)
class Prompt:
    """A prompt of a task: what is asked, how the answer is taken, and where it is from.

    `scoring_method`: the likeliest of the document's `choice_form` (letters or texts), MC1 and MC2, a letter that is
    written, words that are written, or a translation. `needs` names what every document must have for it.
    """

    name: str
    text: str
    scoring_method: str = CHOOSE
    choice_form: str = "letters"
    source: str = ""
    needs: str = ""


@dataclass(frozen=True)
class TaskType:
    """A sort of task: its places with what they stand for, and its prompts, of which the first one leads."""

    slug: str
    title: str
    places: Mapping[str, str]
    prompts: tuple[Prompt, ...]


_QUESTION, _CHOICES = gettext_noop("The question"), gettext_noop("Its choices, one a line with their letters")
_ABOUT_CONCEPT = 'The following are multiple choice questions (with answers) about "{{concept}}".\n'
_CSQA, _LORAX = "id-csqa, Appendix F", "LoraxBench, Appendix G"
_CSQA_PROMPTS = (
    Prompt("csqa-1", _ABOUT_CONCEPT + "{{question}}\n{{listing}}\nAnswer:", source=_CSQA, needs="concept"),
    Prompt("csqa-2", "Question: {{question}}\nChoices:\n{{listing}}\nAnswer:", source=_CSQA),
    Prompt(
        "csqa-3",
        _ABOUT_CONCEPT + "Question: {{question}}\n{{listing}}\nAnswer:",
        source=_CSQA,
        needs="concept",
    ),
)
_BUILT_IN_TYPES = (
    TaskType(
        "nli",
        gettext_noop("Inference: entailment, neutral or contradiction"),
        {"premise": gettext_noop("The premise"), "hypothesis": gettext_noop("The hypothesis")},
        (
            Prompt(
                "nli",
                "Determine the relationship between the following two statements.\n"
                "The relationship can be one of the following:\n\n"
                "- Entailment: The premise implies the hypothesis.\n"
                "- Contradiction: The premise contradicts the hypothesis.\n"
                "- Neutral: The premise and hypothesis are not related or the relationship\n"
                "  cannot be concluded.\n\n"
                "Premise: {{premise}}\nHypothesis: {{hypothesis}}\n\n"
                "Relationship (Please answer concisely with Entailment, Contradiction, or Neutral):",
                choice_form="choices",
                source=_LORAX,
            ),
        ),
    ),
    TaskType(
        "choices",
        gettext_noop("Multiple choice"),
        {
            "concept": gettext_noop("The concept that the question is about; not every set has one"),
            "question": _QUESTION,
            "listing": _CHOICES,
        },
        (
            *_CSQA_PROMPTS,
            # As the paper did for models whose probabilities nobody sees: the letter is found in what they write.
            *(replace(prompt, name=f"{prompt.name}-written", scoring_method=LETTER) for prompt in _CSQA_PROMPTS),
        ),
    ),
    TaskType(
        "responses",
        gettext_noop("Responses to a prompt: MC1 and MC2"),
        {"prompt": gettext_noop("The prompt")},
        (Prompt("mc", "{{prompt}}", scoring_method=MC, choice_form="texts", source="Kalahi §4.2"),),
    ),
    TaskType(
        "best",
        gettext_noop("The best of several responses to a prompt"),
        {"prompt": gettext_noop("The prompt")},
        (Prompt("best", "{{prompt}}", choice_form="texts", source="Kalahi §4.2"),),
    ),
    TaskType(
        "continuation",
        gettext_noop("How a text goes on"),
        {
            "context": gettext_noop("The text to be continued"),
            "listing": gettext_noop("Its continuations, one a line with their letters"),
            "either": gettext_noop("The letters, as in “A, B or C”"),
        },
        (
            Prompt(
                "continuation",
                'How would you continue the sentence "{{context}}"?\n\n{{listing}}\n\nAnswer with either {{either}}:',
                source=_LORAX,
            ),
            Prompt("cloze", "{{context}}", choice_form="texts", source=_LORAX),
        ),
    ),
    TaskType(
        "causal",
        gettext_noop("Cause or effect"),
        {
            "premise": gettext_noop("The premise"),
            "asked": gettext_noop("What is asked for: cause or effect"),
            "listing": gettext_noop("The alternatives, one a line with their letters"),
            "either": gettext_noop("The letters, as in “A, B or C”"),
        },
        (
            Prompt(
                "causal",
                "Premise: {{premise}}\n\n{{listing}}\n\n"
                "Question: Which is the more likely {{asked}}, given the premise?\nAnswer with either {{either}}:",
                source=_LORAX,
            ),
        ),
    ),
    TaskType(
        "extraction",
        gettext_noop("An answer that occurs in a passage"),
        {"passage": gettext_noop("The passage"), "question": _QUESTION},
        (
            Prompt(
                "extraction",
                "Context:\n{{passage}}\n\n"
                "Extract the answer to the following question from the given context.\n"
                "Be concise and straightforward; no explanations are needed.\n\nQuestion:\n{{question}}\n",
                scoring_method=WORDS,
                source=_LORAX,
            ),
        ),
    ),
    TaskType(
        "open",
        gettext_noop("A question without its passage"),
        {"question": _QUESTION},
        (
            Prompt(
                "open",
                "Answer the following question concisely.\n\n{{question}}\n",
                scoring_method=WORDS,
                source=_LORAX,
            ),
        ),
    ),
    TaskType(
        "translation",
        gettext_noop("Translation"),
        {"text": gettext_noop("The text")},
        (
            Prompt(
                "translation",
                "Translate the following {language} text into {into}.\n"
                "Please translate the input directly without any other comments.\n\nInput: {{text}}\nOutput:",
                scoring_method=TRANSLATE,
                source=_LORAX,
            ),
        ),
    ),
)
_ITEM_TEXTS = gettext_noop("The texts of the item, each below its name")
_OWN_TASK_TYPES = (
    TaskType(
        "task-choice",
        gettext_noop("A question of a team's own task, answered by one of its labels"),
        {"given": _ITEM_TEXTS, "question": _QUESTION, "listing": gettext_noop("Its answers, one a line")},
        (
            Prompt(
                "choice",
                "{{given}}\n\n{{question}}\n{{listing}}\n\nAnswer:",
                choice_form="choices",
                source="the task's description",
            ),
        ),
    ),
    TaskType(
        "task-words",
        gettext_noop("A question of a team's own task, answered by a passage or in words"),
        {"given": _ITEM_TEXTS, "question": _QUESTION},
        (
            Prompt(
                "words",
                "{{given}}\n\n{{question}}\nAnswer:",
                scoring_method=WORDS,
                source="the task's description",
            ),
        ),
    ),
)
TASK_TYPES: Mapping[str, TaskType] = {sort.slug: sort for sort in (*_BUILT_IN_TYPES, *_OWN_TASK_TYPES)}

# Which task it is where rows were derived from others.
_DERIVED: Mapping[str, str] = {OPEN: "open", SENTENCE: "translation"}


def task_type_of(config: Config) -> TaskType | None:
    """The sort of task that a config is; None where its rows ask nothing, or each set of it something else."""
    if question_of_task(config.kind) is not None:
        return _OWN_TASK_TYPES["labels" not in (question_of_task(config.kind) or {})]
    if not config.task:
        return TASK_TYPES.get(config.kind.export.task)
    own = SHAPES[config.shapes[0]].model_task if len(config.shapes) == 1 else ""
    return TASK_TYPES.get(_DERIVED.get(config.form) or own)


def question_of_task(kind: Kind) -> dict[str, Any] | None:
    """What the first question of a team's own task asks of a row; None where no model that reads texts can be asked.

    `texts` are the names of what people see by column; then the question, its column, and its labels by key.
    """
    if not kind.slug.startswith(SLUG_PREFIX) or set(MEDIA_WIDGETS).intersection(kind.presentation.widgets.values()):
        return None
    texts = {text.key: text.name for text in kind.presentation.texts if text.shown}
    first = kind.question.questions[0] if kind.question.questions else None
    if first is None:
        return {
            "texts": texts,
            "question": kind.question.text,
            "labels": {each.key: each.name for each in kind.question.labels},
        }
    found = {"texts": texts, "question": first.text, "key": first.key}
    if type_of(first).is_single_key:
        return {**found, "labels": {each.key: each.name for each in kind.question.labels}}
    several = first.several and first.texts
    return found if type_of(first).level == "overlap" and not several and not first.labels else None


def task_types_of(kind: Kind, shapes: Sequence[str], *, open_qa: bool, sentences: bool) -> list[TaskType]:
    """The sorts that releases of a project may hold: that of its kind, those of its source sets' shapes."""
    sets = [SHAPES[shape] for shape in shapes]
    wanted = {kind.export.task, *(shape.model_task for shape in sets)}
    wanted |= {_DERIVED[OPEN]} if open_qa and any(shape.spans for shape in sets) else set()
    wanted |= {_DERIVED[SENTENCE]} if sentences and any(shape.sentences for shape in sets) else set()
    return [sort for slug, sort in TASK_TYPES.items() if slug in wanted]


def starting_text(sort: TaskType) -> str:
    """The text that a prompt of a project's own begins from: its sort's first, which languages have no name in."""
    return sort.prompts[0].text.replace("{language} ", "").replace(" into {into}", "")


def placeholders_of(text: str) -> set[str]:
    """The places that a text names."""
    return set(_PLACEHOLDER.findall(text))


class PromptFault(ValueError):
    """Why a text cannot be a prompt: the reason (English, translatable) and its parameters."""

    def __init__(self, reason: str, **params: object) -> None:
        self.reason, self.params = reason, params
        super().__init__(reason % params)


def check_name(name: str) -> None:
    """A prompt's name stands in names of files and tasks. Raises PromptFault."""
    if not NAME.match(name) or len(name) > LONGEST_NAME:
        raise PromptFault(gettext_noop("needs small letters, digits and hyphens, 40 at most"))
    if any(name == prompt.name for sort in TASK_TYPES.values() for prompt in sort.prompts):
        raise PromptFault(gettext_noop("is the name of a prompt that every release has"))


def check_text(sort: TaskType, text: str) -> None:
    """A prompt names places of its sort, and holds nothing that the harness would run. Raises PromptFault."""
    if len(text) > LONGEST:
        raise PromptFault(gettext_noop("is longer than %(most)d characters"), most=LONGEST)
    named = _PLACEHOLDER.findall(text)
    for name in named:
        if name not in sort.places:
            raise PromptFault(gettext_noop("names a place that this task does not have: %(name)s"), name=name)
    if _TEMPLATE_MARKS.search(_PLACEHOLDER.sub(" ", text)) or _TOO_MANY.search(text):
        raise PromptFault(gettext_noop("holds {{, {%% or {# that begin no place, or what would end one"))
    if not named:
        raise PromptFault(gettext_noop("names no place: every question would be the same"))
