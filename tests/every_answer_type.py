"""A kind whose voters answer questions of every answer type about pairs, and what they post."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.test import Client

from annotation import kinds
from annotation.answers import Label, Question, values_of
from annotation.answers.scale import points
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import nli
from annotation.kinds.columns import provenance
from tests import factory
from validation.consensus.protocol import Protocol
from validation.voting.actions.decide import decide_due

YES_NO = (Label("yes", "Yes", "Y", "circle"), Label("no", "No", "N", "square"))
EMOTIONS = (Label("joy", "Joy", "J", "circle"), Label("fear", "Fear", "F", "square"))
QUESTIONS = (
    Question("relation", "The hypothesis is…", labels=nli.LABELS),
    Question("toxicity", "How toxic is it?", "scale", labels=points(5), low="not at all", high="very"),
    Question("emotions", "Which emotions?", "several", labels=EMOTIONS, optional=True),
    Question("better", "Which is better?", "preference", texts=("premise", "hypothesis"), tie=True),
    Question("evidence", "What shows it?", "spans", texts=("hypothesis",)),
    Question("why", "Why?", "free_text", optional=True, needs_gold=False),
    Question(
        "quality",
        "How good is it?",
        "criteria",
        parts=(
            Question("fluent", "Is it fluent?", labels=YES_NO),
            Question("useful", "How useful?", "scale", labels=points(3)),
        ),
    ),
)


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The texts, the gold answers each in its columns, and what each person answered."""
    votes = [{"annotator": vote["annotator"], "answers": vote["answers"]} for vote in row["votes"]]
    return {
        "pair_id": row["key"],
        "premise": row["content"]["premise"],
        "hypothesis": row["content"]["hypothesis"],
        "label": row["label"],
        "label_source": row["label_source"],
        "gold_label": row["gold"] or "-",
        **values_of([leaf for question in QUESTIONS for leaf in question.leaf_questions()], row["gold_answers"]),
        "votes": len(votes),
        **provenance(row),
    }


KIND = replace(
    nli.KIND,
    slug="asked",
    question=replace(nli.KIND.question, labels=(), questions=QUESTIONS),
    presentation=replace(nli.KIND.presentation, is_shuffled=True),
    export=replace(nli.KIND.export, build_row=export_row, source_row=None),
    partial_input=None,
)
RULES = Protocol("p", (2,), 2, author="none")
POSTED_ANSWERS: dict[str, Any] = {
    "answer-relation": "e",
    "answer-toxicity": "4",
    "answer-emotions": ["fear", "joy"],
    "answer-better": "1",
    "answer-evidence-text": ["di pasar", ""],
    "answer-evidence-of": ["", ""],
    "answer-evidence-label": ["", ""],
    "answer-evidence-nth": ["", ""],
    "answer-evidence-start": ["", ""],
    "answer-why": " Karena begitu. ",
    "answer-fluent": "yes",
    "answer-useful": "2",
}


@contextmanager
def registered(kind: kinds.Kind = KIND) -> Iterator[kinds.Kind]:
    """The kind in the registry, as a file of its own would put it there."""
    walked = kinds.kinds_by_slug()
    walked[kind.slug] = kind
    try:
        yield kind
    finally:
        del walked[kind.slug]


def a_project(protocol: Protocol = RULES, kind: str = KIND.slug) -> Project:
    """Six pairs that wait for answers."""
    made = factory.project(protocol=protocol)
    factory.written_pairs(made, factory.member(made, "writer"))
    Project.objects.filter(pk=made.pk).update(kind=kind)
    while decide_due():
        pass
    made.refresh_from_db()
    return made


def browser_of(person: Annotator) -> Client:
    """Signed in as this person."""
    assert person.user is not None
    client = Client()
    client.force_login(person.user)
    return client
