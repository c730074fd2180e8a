"""Ratings of model outputs: drawn, dealt to fixed groups, answered by votes, counted once they are closed."""

import gzip
from functools import partial
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_close
from annotation.translation.models import TargetMember
from tests import factory
from tests.race import run_at_once
from tests.ratings import (
    MODELS,
    YES_TO_ALL,
    RatedWorld,
    a_rated_world,
    next_assignment,
    rate_all,
    refused,
    study_members,
)
from tests.shared_worlds import SharedWorlds
from validation.imports.rules.outputs import OutputRow
from validation.studies.model_outputs import outputs_by_prompt, read_outputs
from validation.studies.models import Study
from validation.studies.rules import ratings as rules
from validation.studies.types.rating import QUESTION, tally_of
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote
from validation.voting.views.cards import card_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(standing: SharedWorlds) -> RatedWorld:
    return standing(a_rated_world)


# --- files of outputs --------------------------------------------------------------------


def taken(folder: Path, content: bytes, name: str = "outputs.jsonl") -> list[OutputRow]:
    path = folder / "outputs"
    path.write_bytes(content)
    return read_outputs(path, name)


def test_texts_come_in_byte_for_byte(tmp_path: Path) -> None:
    text = "  =HYPERLINK(1) \\u2028 baris\\r\\nke-2 e\\u0301 "
    (row,) = taken(tmp_path, f'{{"prompt_id":"1","model":"m","text":"{text}"}}'.encode())
    assert row.text == "  =HYPERLINK(1) \u2028 baris\r\nke-2 e\u0301 "


def test_every_row_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    lines = [
        b'{"prompt_id":"1","model":"ok","text":"Baik."}',
        b"[1]",
        b'{"prompt_id":"1","model":"m","text":"\xff"}',
        b'{"prompt_id":"1","model":"m","text":"a\\u0000b"}',
        b'{"prompt_id":"1","model":"m","text":"\\ud800"}',
        b'{"prompt_id":"1","model":"","text":"t"}',
        b'{"prompt_id":"1","model":"' + b"m" * 121 + b'","text":"t"}',
        b'{"prompt_id":null,"model":"m","text":"t"}',
        b'{"prompt_id":"1","model":"m","text":["t"]}',
        b'{"prompt_id":"1","model":"m","text":"' + b"t" * 10_001 + b'"}',
        b'{"prompt_id":"1","model":"m","text":"a","text":"b"}',
        b'{"prompt_id":"1","model":"torn',
    ]
    with pytest.raises(Invalid) as refusal:
        taken(tmp_path, b"\n".join(lines))
    told = refusal.value.message.split("\n")
    assert [line.split(":")[0] for line in told] == [f"Row {n}" for n in range(2, 13)]


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"", "outputs.csv", None),
        (b"model,text\nm,t\n", "outputs.csv", "column_missing"),
        (b"prompt_id,model,text\n" + b"x,m,t\n" * 10_001, "outputs.csv", "rows_many"),
        (gzip.compress(b"prompt_id,text\nx,t\n", mtime=0), "outputs.csv.gz", "column_missing"),
        (b"\x00\x01\x02\xff" * 50, "outputs.csv", None),
    ],
)
def test_files_that_are_not_read(tmp_path: Path, content: bytes, name: str, code: str | None) -> None:
    with pytest.raises(Invalid) as refusal:
        taken(tmp_path, content, name)
    assert refusal.value.message
    assert code in (None, refusal.value.code)


def test_of_two_outputs_for_a_prompt_and_model_neither_is_taken() -> None:
    rows = [
        OutputRow(1, "0100000100", "m", "Satu."),
        OutputRow(2, "01000001", "m", "Satu."),
        OutputRow(3, "0100000100", "m", "Dua."),
        OutputRow(4, "nowhere", "m", "Tiga."),
    ]
    assert [each.text for each in outputs_by_prompt(rows[:2], {"0100000100": 7})] == ["Satu."]
    with pytest.raises(Invalid) as refusal:
        outputs_by_prompt(rows, {"0100000100": 7})
    third, fourth = refusal.value.message.split("\n")
    assert "Satu." in third
    assert "Dua." in third
    assert fourth.startswith("Row 4: ")


# --- drawing -----------------------------------------------------------------------------


def test_every_sampled_output_goes_to_one_group_of_three() -> None:
    world = a_rated_world(prompts=4, raters=6)
    made = world.draw(sample=3)
    assert (made.rows.count(), made.rows.values("of_item").distinct().count()) == (3 * len(MODELS), 3)
    assert {n: made.rows.filter(data__group=n).count() for n in (1, 2)} == {1: 3, 2: 3}
    groups = list(made.project.targets.order_by("key"))
    assert [target.key for target in groups] == ["group-1", "group-2"]
    for place, target in enumerate(groups, start=1):
        assert TargetMember.objects.filter(target=target).count() == 3
        assert set(made.rows.filter(item__target=target).values_list("data__group", flat=True)) == {place}
    # The draw and the dealing are those of the seed and the members' names in the project.
    outputs = [rules.Output(f"{row.prompt}\t{row.model}", row.prompt, row.model) for row in world.rows()]
    drawn = rules.sample(outputs, world.project.seed, 3)
    dealt = rules.deal_outputs(drawn.outputs, [one.pseudonym for one in world.raters], world.project.seed)
    stored = {(row.data["prompt"], row.data["model"]): row.data["group"] for row in made.rows.all()}
    expected = {key: n for n, group in enumerate(dealt, 1) for key in group.outputs}
    assert {f"{prompt}\t{model}": n for (prompt, model), n in stored.items()} == expected


def test_each_is_asked_of_three_of_the_group_and_nobody_else() -> None:
    world = a_rated_world(prompts=4, raters=6)
    made = world.draw(sample=3)
    decide_due()
    outside = factory.member(made.project, "validator")
    assert next_assignment(outside) is None
    rate_all(made)
    assert set(made.project.items.values_list("stage", "votes_n")) == {("settled", 3)}
    for vote in made.project.votes.select_related("item", "annotator"):
        assert vote.annotator.target_memberships.get().target_id == vote.item.target_id


def test_without_members_any_three_rate(world: RatedWorld) -> None:
    made = world.draw(raters=[])
    assert not made.project.targets.get().members_only
    for _ in range(3):
        factory.member(made.project, "validator")
    rate_all(made)
    assert set(made.project.items.values_list("stage", "votes_n")) == {("settled", 3)}


def test_only_prompts_with_every_models_output_are_drawn(world: RatedWorld) -> None:
    rows = world.rows()
    with refused("sample_short"):
        world.draw(outputs=rows[:-3])
    assert not Study.objects.exists()
    made = world.draw(outputs=rows[:-2])
    assert not made.rows.filter(of_item=world.prompts[2]).exists()
    Item.objects.filter(pk=world.prompts[0].pk).update(stage="excluded")
    with refused("rows_refused"):
        world.draw("other")


def test_the_criteria_are_those_sent_else_the_projects_else_the_seven(world: RatedWorld) -> None:
    def keys(made: Study) -> list[str]:
        (question,) = made.project.kind_spec.question.questions
        return [part.key.removeprefix("quality_") for part in question.parts]

    assert keys(world.draw("seven")) == list(YES_TO_ALL)
    Project.objects.filter(pk=world.project.pk).update(
        settings={**world.project.settings, "rating_criteria": "polite: Sopan: Tidak kasar."}
    )
    assert keys(world.draw("own")) == ["polite"]
    assert keys(world.draw("sent", criteria="brief: Ringkas: Tidak panjang.")) == ["brief"]
    with refused("criterion_form"):
        world.draw("wrong", criteria="no colon")


@pytest.mark.parametrize("count", [2, 4, 5])
def test_raters_make_groups_of_three(count: int) -> None:
    world = a_rated_world(raters=5)
    with refused("raters_uneven"):
        world.draw(raters=world.raters[:count])


def test_nobody_rates_who_led_the_project(world: RatedWorld) -> None:
    Annotator.objects.filter(pk=world.raters[2].pk).update(is_validator=False, has_led=True)
    with refused("study_member_wrong"):
        world.draw()
    made = world.draw(raters=[], by=factory.user(administrator=True))
    for one in (world.lead, world.raters[2]):
        with refused("made_what_is_judged"):
            factory.member(made.project, "validator", account=one.user)
    rater = factory.member(made.project, "validator")
    factory.member(world.project, "writer", account=rater.user)
    with refused("judges_what_is_made"):
        factory.member(world.project, "lead", account=rater.user)


def test_who_was_shown_an_output_is_not_asked_to_vote_on_the_prompt() -> None:
    world = a_rated_world(prompts=1)
    made = world.draw(sample=1)
    decide_due()
    both, voter, target = (
        world.raters[0],
        factory.member(world.project, "validator"),
        world.project.targets.get(),
    )
    place = Annotator.objects.get(project=made.project, user=both.user)
    assert next_assignment(place) is not None
    assert assignment_claim(annotator=both, target=target, spacing=0) is None
    assert assignment_claim(annotator=voter, target=target, spacing=0) is not None


def test_the_card_tells_no_model(world: RatedWorld) -> None:
    made = world.draw()
    decide_due()
    place = study_members(made)[0]
    held = next_assignment(place)
    assert held is not None
    card = card_of(held, made.project)
    assert not any(model in f"{card}" for model in MODELS)
    assert [text.key for text in card.texts] == ["prompt_1", "output"]
    assert "salami tuan rumah" in card.texts[1].text
    kept = str(list(made.project.items.values("key", "revisions__content")))
    assert not any(model in kept for model in MODELS)


def test_ten_thousand_rows_are_drawn_in_few_statements(world: RatedWorld) -> None:
    rows = [OutputRow(n, item.key, f"model {n}", f"Jawaban {n}") for n in range(3_000) for item in world.prompts[:1]]
    with CaptureQueriesContext(connection) as few:
        world.draw("few", outputs=rows[:30], sample=1)
    with CaptureQueriesContext(connection) as many:
        made = world.draw("many", outputs=rows, sample=1)
    assert made.rows.count() == 3_000
    assert len(many) < len(few) + 40


@pytest.mark.django_db(transaction=True)
def test_two_leads_draw_at_once() -> None:
    world = a_rated_world(prompts=4)
    call = partial(world.draw, "once", sample=4)
    found = run_at_once([call, call, call])
    assert sorted(type(one).__name__ for one in found) == ["Conflict", "Conflict", "Study"]


# --- results -----------------------------------------------------------------------------


def test_results_by_model(world: RatedWorld) -> None:
    made = world.draw()

    def says(prompt: str, model: str, place: int) -> dict[str, str]:
        # Of the ant two of three say no to spelling; of the bee one of three.
        return {"spelling": "no" if (place < 2 if model == MODELS[0] else place == 0) else "yes"}

    rate_all(made, says)
    tally = tally_of(made)
    assert tally.models == MODELS
    assert [tally.counts[model, "spelling"] for model in MODELS] == [(0, 2), (2, 2)]
    assert [tally.counts[model, "legality"] for model in MODELS] == [(2, 2), (2, 2)]
    assert tally.waiting == 0
    spelling = tally.agreement["spelling"]
    assert (spelling.percent.items, spelling.percent.ratings, spelling.kappa.pairs) == (4, 12, 3)
    assert spelling.percent.value == pytest.approx(1 / 3)
    assert tally.agreement["legality"].alpha.value is None


def test_pages_tell_results_once_it_is_closed(world: RatedWorld, client: Client) -> None:
    client.force_login(world.by)
    address = f"/p/{world.project.slug}/studies/rating/"
    page = client.get(address).content.decode()
    assert page.count('name="members"') == 4
    lines = "".join(f"{row.prompt},{row.model},{row.text}\n" for row in world.rows())
    sent = {"sample": "2", "criteria": "", "slug": "rated", "members": [one.pk for one in world.raters]}
    wrong = SimpleUploadedFile("outputs.csv", b"prompt_id,model,text\nnowhere,m,t\n")
    answer = client.post(address, {**sent, "outputs": wrong})
    assert answer.status_code == 422
    assert "Row 2" in answer.content.decode()
    file = SimpleUploadedFile("outputs.csv", f"prompt_id,model,text\n{lines}".encode())
    page = client.post(address, {**sent, "outputs": file}, follow=True).content.decode()
    assert "shown once it is closed" in page
    made = Study.objects.get()
    # Whoever draws it as a lead leads it.
    assert Annotator.objects.get(project=made.project, user=world.by).is_lead
    rate_all(made)
    page = client.get(f"{address}1/").content.decode()
    assert "canary-model" not in page
    assert client.get(f"{address}1/counts.csv").status_code == 403
    assert client.post(f"{address}1/close/", {"closed": "0"}).status_code == 409
    page = client.post(f"{address}1/close/", {"closed": "1"}, follow=True).content.decode()
    assert "canary-model-ant" in page
    table = client.get(f"{address}1/ratings.csv").content.decode("utf-8-sig").splitlines()
    assert table[0] == "prompt,model,group,rater," + ",".join(YES_TO_ALL) + ",comment,seconds"
    assert len(table) == 1 + 2 * len(MODELS) * 3
    table = client.get(f"{address}1/counts.csv").content.decode("utf-8-sig").splitlines()
    assert table[1].startswith("factuality,canary-model-ant,2,2,1.0,4,12,")


def test_a_blind_study_is_opened_again_nowhere(world: RatedWorld, client: Client) -> None:
    made, boss = world.draw(), factory.user(administrator=True)
    project_close(project=made.project, by=world.by, closed=True)
    with refused("study_blind_reopened"):
        project_close(project=made.project, by=boss, closed=False)
    client.force_login(boss)
    assert client.post(f"/p/{made.project.slug}/settings/closing/", {"closed": "no"}).status_code == 409
    made.project.refresh_from_db()
    assert made.project.closed_at is not None


def test_who_leads_the_study_alone_is_not_told_what_it_was_drawn_from(world: RatedWorld, client: Client) -> None:
    made, back = world.draw(), f"/p/{world.project.slug}/studies/rating/1/"
    client.force_login(world.by)
    assert f'href="{back}"' in client.get(f"/p/{made.project.slug}/").content.decode()
    client.force_login(factory.member(made.project, "lead").user)  # type: ignore[arg-type]
    page = client.get(f"/p/{made.project.slug}/").content.decode()
    assert "studies/rating" not in page


def test_no_correction_of_an_output_is_proposed(world: RatedWorld, client: Client) -> None:
    made = world.draw()
    decide_due()
    place = study_members(made)[0]
    client.force_login(place.user)  # type: ignore[arg-type]
    address = f"/p/{made.project.slug}/vote/"
    page = client.get(address)
    assert "Propose a correction" not in page.content.decode()
    assert page.context["card"].corrections == []
    token = page.context["card"].token
    answers = {f"answer-{QUESTION}_{key}": "yes" for key in YES_TO_ALL}
    sent = client.post(f"{address}{token}/", {**answers, "propose_output": "Jawaban lain."})
    assert (sent.status_code, Vote.objects.count()) == (422, 0)
    following = client.post(f"{address}{token}/", answers, headers={"hx-request": "true"})
    assert (following.status_code, Vote.objects.count()) == (200, 1)
    assert "Propose a correction" not in following.content.decode()


def test_who_joins_later_is_put_into_a_group(world: RatedWorld, client: Client) -> None:
    world.raters += [factory.member(world.project, "validator") for _ in range(3)]
    made, address = world.draw(sample=3), f"/p/{world.project.slug}/studies/rating/1/"
    decide_due()
    late = factory.member(made.project, "validator")
    assert next_assignment(late) is None
    client.force_login(world.by)
    assert f"{late.pseudonym}: in no group yet" in client.get(address).content.decode()
    for member, group in ((late.pseudonym, "9"), ("nobody", "1")):
        assert client.post(f"{address}join/", {"member": member, "group": group}).status_code == 422
    page = client.post(f"{address}join/", {"member": late.pseudonym, "group": "2"}, follow=True)
    assert "in no group yet" not in page.content.decode()
    assert client.post(f"{address}join/", {"member": late.pseudonym, "group": "1"}).status_code == 409
    held = next_assignment(late)
    assert held is not None
    assert held.item.study_row.data["group"] == 2


def test_a_closed_rating_takes_nothing_more(world: RatedWorld) -> None:
    made = world.draw()
    decide_due()
    place = study_members(made)[0]
    held = next_assignment(place)
    assert held is not None
    project_close(project=made.project, by=world.by, closed=True)
    tally = tally_of(made)
    assert (tally.models, tally.waiting) == ((), 0)
