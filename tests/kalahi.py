"""Validators who choose the best response so and so often, drawn by a seed: nobody's votes were ever published."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.timezone import now

from annotation.content import shapes
from annotation.content.actions.items import family_of
from annotation.content.models.item import Item, Revision
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw, order
from annotation.elicitation.rules.prompts import PromptFault, PromptId, compose, read_id, split_text
from exports.formats.rules.kalahi_csv import COLUMNS, CsvFault, KalahiRow, responses_of
from tests import prompts
from validation.insights.rules.best_choice import JudgedPrompt
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

VALIDATORS = ("V01", "V02", "V03")
# The paper's Table 4: how many prompts had their best response chosen by 3, 2, 1 of 3.
PUBLISHED = {3: 111, 2: 31, 1: 8}


def simulate(
    rows: Sequence[KalahiRow], seed: str, best: Mapping[int, int] = PUBLISHED, who: Sequence[str] = VALIDATORS
) -> list[JudgedPrompt]:
    """Let `best[n]` prompts have n people choose the best; who dissents, and what for, is drawn."""
    times = [n for n, prompts in best.items() for _ in range(prompts)]
    drawn = order(seed, "simulated", [row.prompt_variation_id for row in rows])
    right = dict(zip(drawn, times, strict=True))
    return [_choose(row, right[row.prompt_variation_id], seed, who) for row in rows]


def _choose(row: KalahiRow, right: int, seed: str, who: Sequence[str]) -> JudgedPrompt:
    key, responses = row.prompt_variation_id, responses_of(row)
    (best,) = (each.key for each in responses if each.role == "best")
    others = [each.key for each in responses if each.role == "irrelevant"]
    choices = {}
    for place, name in enumerate(order(seed, f"dissent:{key}", who)):
        other = others[draw(seed, f"other:{key}", name) % len(others)]
        choices[name] = best if place < right else other
    return JudgedPrompt(key, best, (best, *others), choices)


def store_choices(project: Project, rows: Sequence[KalahiRow], judged: Sequence[JudgedPrompt] = ()) -> list[Item]:
    """Prompts and what validators chose, straight into the tables, then opened and decided by the system."""
    target, protocol, kind = project.targets.get(), project.protocols.get(), project.kind_spec
    topics = {name: prompts.a_topic(project, name) for name in sorted({row.topic for row in rows})}
    contents = [_content(row) for row in rows]
    bests = [next(o["key"] for o in each["options"] if o["role"] == "best") for each in contents]
    items = Item.objects.bulk_create(
        Item(
            project=project,
            target=target,
            protocol=protocol,
            key=row.prompt_variation_id,
            family=family_of(kind, project.pk, row.prompt_variation_id, 0),
            author_label=best,
            sampled=True,
            origin="imported",
            shuffle=draw(project.seed, "queue", row.prompt_variation_id),
            due_at=now(),
        )
        for row, best in zip(rows, bests, strict=True)
    )
    shapes.get(kind.shape).store(items, [topics[row.topic] for row in rows], contents)
    Revision.objects.bulk_create(
        Revision(
            project=project,
            item=item,
            n=1,
            version=1,
            epoch=1,
            event="submit",
            meaning="first",
            fields_n=1,
            sentences_n=1,
            content=content,
            author_label=best,
        )
        for item, content, best in zip(items, contents, bests, strict=True)
    )
    while decide_due():
        pass
    _vote(project, rows, items, judged)
    return items


def _vote(project: Project, rows: Sequence[KalahiRow], items: Sequence[Item], judged: Sequence[JudgedPrompt]) -> None:
    """The choices as votes; what they settle is decided."""
    names = sorted({who for each in judged for who in each.choices})
    people = {
        place.pseudonym: place
        for place in Annotator.objects.bulk_create(
            Annotator(project=project, pseudonym=name, is_validator=True) for name in names
        )
    }
    places = {item.key: (item, row) for item, row in zip(items, rows, strict=True)}
    for each in judged:
        item, row = places[each.key]
        keys = {one.key: key for one, key in zip(responses_of(row), _keys(row), strict=True)}
        Vote.objects.bulk_create(
            Vote(
                project=project,
                item=item,
                annotator=people[who],
                n=n,
                epoch=1,
                round=1,
                revision_n=1,
                label=keys[choice],
                unsure=False,
                ambiguous=False,
            )
            for n, (who, choice) in enumerate(sorted(each.choices.items()), start=1)
        )
        Item.objects.filter(pk=item.pk).update(votes_n=len(each.choices), pending=0, slots_free=0, due_at=now())
    while decide_due():
        pass


def _keys(row: KalahiRow) -> list[str]:
    """The system's keys of a row's responses, in the order of `responses_of`."""
    relevant = [f"R{n}" for n in range(1, 1 + len(row.relevant_answers))]
    return relevant + [f"I{n}" for n in range(1, 1 + len(row.irrelevant_answers))]


def _content(row: KalahiRow) -> dict[str, Any]:
    parts = split_text(row.prompt, read_id(row.prompt_variation_id))
    options = [
        {"key": key, "text": one.text, "role": one.role} for key, one in zip(_keys(row), responses_of(row), strict=True)
    ]
    return {
        "concept": row.topic,
        "category": row.category,
        **parts._asdict(),
        "question": row.prompt,
        "options": options,
    }


# --- what dumps without users and situations are compared with -----------------------------


def without_user(rows: Iterable[KalahiRow]) -> list[KalahiRow]:
    """Give every prompt without its user ("partially enriched", Appendix H); ids and responses stay.

    Prompts that differed in their user only now have one text: 150 rows stay 150, as in the paper.
    """
    return [_without_user(row, number) for number, row in enumerate(rows, 1)]


def without_user_and_personal(rows: Iterable[KalahiRow]) -> list[KalahiRow]:
    """Give the prompts that have no personal situation, without their user ("unenriched", Appendix H).

    Variations are left out, for their responses fit a situation that nobody would see: 85 published rows (their texts
    are 84, which is the paper's count).
    """
    numbered = enumerate(rows, 1)
    return [_without_user(row, n) for n, row in numbered if not _numbers(row, n).personal]


def _numbers(row: KalahiRow, number: int) -> PromptId:
    try:
        return read_id(row.prompt_variation_id, row.prompt_id)
    except PromptFault as fault:
        raise CsvFault(number, COLUMNS[0], fault.code, fault.message, **fault.params) from None


def _without_user(row: KalahiRow, number: int) -> KalahiRow:
    numbers = _numbers(row, number)
    try:
        parts = split_text(row.prompt, numbers)
    except PromptFault as fault:
        raise CsvFault(number, "prompt", fault.code, fault.message, **fault.params) from None
    return row._replace(prompt=compose(parts._replace(user="")))
