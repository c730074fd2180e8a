"""The demo's third project: cultural prompts from the first questions to rated outputs of two invented models.

The people are those of the first project. All by the ordinary actions, in the order of Kalahi §3; who votes and
rates what is drawn from the seed. Three prompts wait for their votes, one for the lead, two proposals for a decision.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.core.access import targets_of
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules.draws import draw, fraction, order
from annotation.elicitation.actions import (
    elicitation_answer,
    no_part_sign,
    prompt_new,
    second_look_save,
    session_create,
    variation_new,
)
from annotation.elicitation.models import ElicitationQuestion, Session
from annotation.elicitation.rules.sessions import ELICITATION, REVIEW, TICKS
from annotation.kinds import SlotIn
from annotation.projects.actions.projects import project_close
from annotation.writing.actions.writing import draft_save, set_submit
from exports.demo.story import Demo, act_as_lead, add_project, decide_all, rows, texts, user_of, vote
from validation.group_review.actions import accept, decline, remark, suggest
from validation.imports.rules.outputs import OutputRow
from validation.review.actions.decisions import approve
from validation.studies.actions.studies import study_create
from validation.studies.types.rating import QUESTION, TYPE
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast

SLUG, SEED = "demo-budaya", "demo-budaya-2026"
WRITERS = 4
REVIEWERS = range(2, 6)
VALIDATORS = range(6, 12)
RATERS = range(7, 10)
CATEGORY = "kehidupan sehari-hari"
GROUP = "Sembilan orang dari empat provinsi, 19 sampai 61 tahun, lima di antaranya perempuan."
APPROVED_LATE, LEFT_UNCHECKED = 3, 1
Row = Mapping[str, Any]


def people(first: Demo) -> Demo:
    """The same people: four write, four review (two of them both), six who took no part vote, three of those rate."""
    demo = add_project(
        first,
        {"spacing": 0, "category_target": 12},
        lambda number: {
            "writer": number < WRITERS,
            "reviewer": number in REVIEWERS,
            "validator": number in VALIDATORS,
        },
        slug=SLUG,
        name="Demo: budaya sehari-hari",
        preset="kalahi",
        seed=SEED,
    )
    for number in VALIDATORS:
        no_part_sign(annotator=demo.annotators[number])
    return demo


def elicitation(demo: Demo, topics: Sequence[Row], answers: Sequence[Row]) -> None:
    """Topics, each with where it came from; then a group answers some of the questions."""
    concepts_add(
        target=demo.project.targets.get(),
        rows=[ConceptIn("", CATEGORY, topic["text"], extra={"source": topic["source"]}) for topic in topics],
        by=demo.administrator,
    )
    held = _session(demo, ELICITATION, "Kelompok penulis", date(2026, 3, 7))
    for answer in answers:
        question = ElicitationQuestion.objects.get(project=demo.project, position=answer["question"])
        elicitation_answer(
            annotator=demo.annotators[answer["by"]],
            question_id=question.pk,
            text=answer["text"],
            topic=answer["topic"],
            session_id=held.pk,
        )


def _session(demo: Demo, purpose: str, name: str, day: date) -> Session:
    return session_create(lead=demo.lead, purpose=purpose, name=name, held_on=day, participants=GROUP)


def slot_values(row: Row) -> SlotIn:
    """A prompt as its writer fills in the form."""
    parts = {name: row[name] for name in ("category", "user", "context", "personal", "best")}
    options = {f"option-{key}": text for key, text in row["responses"].items()}
    return SlotIn(row["instruction"], True, more={**parts, **options})


def writing(demo: Demo) -> dict[str, Item]:
    """Prompts and variations are handed in, by the ids of the file; one more is begun and stays a draft."""
    topics = {topic.text: topic for topic in Concept.objects.filter(project=demo.project)}
    made: dict[str, Item] = {}
    for row in rows("prompts.jsonl"):
        writer = demo.annotators[row["writer"]]
        if "of" in row:
            allocation = variation_new(writer=writer, item_id=made[row["of"]].pk)
        else:
            allocation = prompt_new(writer=writer, concept_id=topics[row["topic"]].pk)
        slots = {"p": slot_values(row)}
        (made[row["id"]],) = set_submit(writer=writer, token=allocation.token, slots=slots)
    begun: Allocation = prompt_new(writer=demo.annotators[0], concept_id=topics["ronda malam"].pk)
    half = SlotIn("", more={"context": "Giliran ronda saya jatuh pada malam Minggu."})
    draft_save(writer=begun.writer, token=begun.token, slot="p", content=half, version=0)
    return made


def group_review(demo: Demo, made: Mapping[str, Item], suggested: Sequence[Row]) -> None:
    """Two sessions: what they propose is talked over, then accepted or declined; some of it is still open."""
    held = [
        _session(demo, REVIEW, "Tinjauan pertama", date(2026, 4, 11)),
        _session(demo, REVIEW, "Tinjauan kedua", date(2026, 4, 25)),
    ]
    for row in suggested:
        result = suggest(
            by=demo.annotators[row["by"]],
            session_id=held[row["session"]].pk,
            item_id=made[row["prompt"]].pk,
            form=row["form"],
            typed=row["typed"],
            words=row["words"],
        )
        for by, text in row.get("remarks", ()):
            remark(by=demo.annotators[by], session_id=result.session_id, suggestion_id=result.pk, text=text)
        pk = result.pk
        if row["end"] == "accept":
            present = Item.objects.values_list("revision_n", flat=True).get(pk=result.item_id)
            accept(lead=demo.lead, session_id=result.session_id, suggestion_id=pk, revision_n=present)
        elif row["end"] == "decline":
            decline(lead=demo.lead, session_id=result.session_id, suggestion_id=pk, reason=row["reason"])


def second_look(demo: Demo, made: Mapping[str, Item]) -> None:
    """Every writer goes through all prompts; one misses a tick here and there, and the first has some left."""
    for number, writer in enumerate(demo.annotators[:WRITERS]):
        keys = sorted(made)
        for name in keys if number else keys[: len(keys) // 2]:
            item = Item.objects.get(pk=made[name].pk)
            doubts = fraction(SEED, "look", f"{name}/{writer.pseudonym}") < 0.05
            second_look_save(
                writer=writer,
                item_id=item.pk,
                revision_n=item.revision_n,
                ticks=[tick for tick in TICKS if not (doubts and tick == "natural")],
                words="Kalimatnya agak kaku." if doubts else "",
            )


def validation(demo: Demo, made: Mapping[str, Item]) -> None:
    """The lead approves all but one; most get their three votes, the rest one or two from the first who come."""
    names = order(SEED, "approved", list(made))
    written = {row["id"]: row for row in rows("prompts.jsonl")}
    late = [name for name in names if not written[name].get("outputs") and not written[name].get("doubt")]
    waiting, unchecked = late[:APPROVED_LATE], late[APPROVED_LATE : APPROVED_LATE + LEFT_UNCHECKED]
    by_pk = {item.pk: written[name] for name, item in made.items()}
    _approve(demo, made, [name for name in names if name not in waiting + unchecked])
    voters, target = [demo.annotators[number] for number in VALIDATORS], demo.project.targets.get()

    def two_votes(person: Annotator) -> int:
        def said(item: Item, key: str) -> Ballot:
            return ballot(by_pk[item.pk], key)

        return vote(demo, target, person, said, many=2, least=12, spread=30)

    while sum([two_votes(person) for person in voters]):
        decide_all()
    _approve(demo, made, waiting)
    for person in voters[:2]:
        two_votes(person)
    decide_all()


def _approve(demo: Demo, made: Mapping[str, Item], names: Sequence[str]) -> None:
    for name in names:
        act_as_lead(demo, approve, made[name])
    decide_all()


def ballot(row: Row, key: str) -> Ballot:
    """Mostly the best; doubtful prompts divide people. Here and there somebody would do otherwise themselves."""
    others = [option for option in row["responses"] if option.startswith("I")]
    agrees = fraction(SEED, "agrees", key) < (0.45 if row.get("doubt") else 0.93)
    label = row["best"] if agrees else others[draw(SEED, "other", key) % len(others)]
    own = others[draw(SEED, "own", key) % len(others)]
    personal = fraction(SEED, "personal", key) < 0.07 and own != label
    return Ballot(
        label=label,
        unsure=fraction(SEED, "unsure", key) < (0.4 if row.get("doubt") else 0.03),
        answers={"personal": own} if personal else {},
    )


def rating(demo: Demo, made: Mapping[str, Item]) -> None:
    """Both models' outputs are rated by three people in a project of its own, and the study is closed."""
    written = [row for row in rows("prompts.jsonl") if "outputs" in row]
    outputs = [
        OutputRow(n, made[row["id"]].key, model, text)
        for n, row in enumerate(written, start=1)
        for model, text in row["outputs"].items()
    ]
    raters = [demo.annotators[number] for number in RATERS]
    study = study_create(
        kind=TYPE,
        project=demo.project,
        slug=f"{SLUG}-model",
        name="Dua model contoh",
        by=user_of(demo.lead),
        sent={"outputs": outputs, "sample": len(written), "criteria": ""},
        members=[rater.pk for rater in raters],
    )
    decide_all()
    of = dict(study.rows.values_list("item", "data"))
    flaws = {made[row["id"]].key: row["flaws"] for row in written}
    names = {user_of(rater).pk: rater.pseudonym for rater in raters}
    for place in study.project.annotators.filter(is_validator=True).select_related("project"):
        (target,) = targets_of(place)
        assert place.user_id is not None  # noqa: S101 - the demo's people all have accounts
        while (held := assignment_claim(annotator=place, target=target, spacing=0)) is not None:
            prompt, model = of[held.item_id]["prompt"], of[held.item_id]["model"]
            wrong, key = flaws[prompt].get(model, ()), f"{prompt}/{model}/{names[place.user_id]}"
            # Now and then somebody sees it otherwise.
            answers = {
                f"{QUESTION}_{each['key']}": "yes"
                if (each["key"] in wrong) == (fraction(SEED, "rates", f"{key}/{each['key']}") < 0.06)
                else "no"
                for each in study.options["criteria"]
            }
            ballot = Ballot("", answers=answers)
            vote_cast(user_id=place.user_id, slug=study.project.slug, token=held.token, ballot=ballot)
    decide_all()
    project_close(project=study.project, by=user_of(demo.lead), closed=True)


def make_project(first: Demo) -> Project:
    """The whole story, told after that of the first project, whose people it takes."""
    demo, parts = people(first), texts("prompts_told.json")
    elicitation(demo, parts["topics"], parts["answers"])
    made = writing(demo)
    group_review(demo, made, parts["suggestions"])
    second_look(demo, made)
    validation(demo, made)
    rating(demo, made)
    return demo.project
