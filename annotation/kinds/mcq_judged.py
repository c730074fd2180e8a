"""mcq-judged: machine-written questions of which people judge whether the given answer follows (mCSQA §3.3).

What is voted on is yes or no; what a release gives to score on is the answer itself.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from annotation.answers import Label
from annotation.kinds import mcq
from annotation.kinds.columns import only_columns, provenance
from annotation.kinds.forms import Slot, SlotIn, TextField
from annotation.kinds.partial_input import PartialText, options_by_role
from annotation.kinds.texts import option_field
from annotation.text.gettext import gettext_noop

YES, NO = "yes", "no"
LABELS = (
    Label(YES, gettext_noop("Yes, it follows"), "Y", "circle"),
    Label(NO, gettext_noop("No"), "N", "square"),
)
ALIASES = {"yes": YES, "y": YES, "true": YES, "1": YES, "no": NO, "n": NO, "false": NO, "0": NO}


def own_texts(content: Mapping[str, Any]) -> tuple[TextField, ...]:
    """The question and its choices; what it was made from is for leads only."""
    choices = (TextField(option_field(str(option["key"])), str(option["key"])) for option in content["options"])
    question = TextField("question", gettext_noop("Question"))
    return (question, TextField("concept", gettext_noop("Concept"), shown=False), *choices)


def author_label(slot: Slot, written: SlotIn) -> str:
    """Whoever wrote it means the answer to follow."""
    return YES if mcq.author_label(slot, written) else ""


def partial_texts(content: Mapping[str, Any], label: str) -> tuple[PartialText, ...]:
    """The choices without their question; the answer is the one that was given, whether it was kept or not."""
    return options_by_role(content, mcq.OTHER) if KIND.question.judged_option(content) else ()


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """CommonsenseQA's columns, as mCSQA has them, with our own behind them.

    `gold_label` is the answer where the votes keep it; `judgements` what each person said of it.
    """
    content = row["content"]
    answer = KIND.question.judged_option(content)
    people = zip(row["counted_annotators"], row["counted_labels"], strict=True)
    return {
        "id": row["key"],
        "question_concept": content["concept"],
        "question": content["question"],
        "choices": {
            "label": [option["key"] for option in content["options"]],
            "text": [option["text"] for option in content["options"]],
        },
        "answerKey": answer,
        "label": row["label"],
        "label_source": row["label_source"],
        "gold_label": answer if row["gold"] == YES else "-",
        "judgements": dict(sorted(people)),
        "creator": row["author"],
        "annotation_round": row["round"],
        **provenance(row),
    }


KIND = replace(
    mcq.KIND,
    slug="mcq-judged",
    name=gettext_noop("Questions whose given answer is judged"),
    source=replace(mcq.KIND.source, judged_row_shape=""),
    authoring=replace(
        mcq.KIND.authoring,
        # A question made from a set asks for one of its targets; that it names the set's source is no rule
        # (mCSQA §3.2).
        checks=tuple(
            check for check in mcq.KIND.authoring.checks if check not in ("concept_missing", "concept_other_form")
        ),
        author_label=author_label,
    ),
    question=replace(
        mcq.KIND.question,
        labels=LABELS,
        aliases=ALIASES,
        own_options=False,
        ambiguity_marks=(),
        choices=mcq.LABELS,
        judged_role=mcq.ANSWER,
        accepting_label=YES,
        text=gettext_noop("Does the given answer follow from the question?"),
    ),
    presentation=replace(mcq.KIND.presentation, is_shuffled=False, item_texts=own_texts),
    export=replace(
        mcq.KIND.export,
        build_row=export_row,
        public_columns=only_columns("id", "question_concept", "question", "choices"),
        author_answer=None,
        column_help="CommonsenseQA's field names. `label` is the answer to score on, `label_source` whose it is: "
        "`gold` where all who judged it said that it follows, `model` where only the model that wrote it says so; "
        "`judgements` is what people said, under stable pseudonyms, `level` what the model made of its own question "
        "(`easy`: it answered right).",
    ),
    # What is settled here is whether an answer follows, not which one is right.
    features=(),
    settings=tuple(name for name in mcq.KIND.settings if name != "rating_criteria"),
    partial_input=replace(mcq.PARTIAL_INPUT, texts=partial_texts),
)
