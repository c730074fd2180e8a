"""Which fields of the API reach people who must stay blind: role × resource × field, as a table (A09).

A field that is added to a resource which writers or validators may read has to be added here, by somebody who looked.
"""

from typing import Any

import orjson
import pytest

from tests import factory
from tests.api import script
from tests.conventions.table import rows
from tests.conventions.visits import send
from tests.conventions.world import World
from tests.every_answer_type import a_project, registered

pytestmark = pytest.mark.django_db
TOKEN = "at expires_at id name projects revoked_at scopes used_at"
ME = "administrator email name projects.name projects.pseudonym projects.roles projects.slug token"
PROJECT = "closed_at created_at description kind language name preset pseudonym roles slug"
COMMON = {
    "api_me": ME,
    "api_tokens": TOKEN,
    "api_projects": PROJECT,
    "api_project": PROJECT,
    "api_guidelines": "at n note role text",
    "api_guidelines_read": "read.*",
    "api_targets": "description ended_at key language name register version",
}
WORK = (
    "card.asks_why card.choices.key card.choices.name card.corrections card.error_types card.language "
    "card.marks card.question card.questions card.texts.alt card.texts.beside card.texts.found card.texts.given "
    "card.texts.key card.texts.name card.texts.text card.texts.widget card.ticks card.token card.typed more_by owes"
)
NOTICES = "new notices.at notices.code notices.new notices.page notices.project notices.words"
THREAD = "about answers at by id mine published_at replies.at replies.by_asker replies.text role section text texts"
OWN_ITEM = (
    "at author_label can content.* correction feedback key language returned source target version written.more.* "
    "written.one_sentence written.tags written.text"
)
CONCEPT = "at category id key mine parallel proposed_by shared_key source state text version words"
GROUP_ANSWER = "at by id session text topic"
# Writers of one group see what the others of it said, and look through each other's prompts, as on their pages; never
# who wrote a prompt or what was voted.
GROUP = {
    "api_sessions": "at held_on id name participants purpose",
    "api_group_questions": "answers answers.at answers.by answers.id answers.session answers.text answers.topic id "
    "kind retired_at text version",
    "api_group_question_answer": GROUP_ANSWER,
    "api_group_answer_change": GROUP_ANSWER,
    "api_topics": "begun category id own.excluded own.key own.text own.varies text total",
    "api_topic_begin": "token",
    "api_own_item_vary": "token",
    "api_second_look": "key responses.key responses.role responses.text revision text topic",
    "api_second_look_save": "key left",
}
SEEN = {
    "writer": COMMON
    | GROUP
    | {
        "api_concepts": CONCEPT,
        "api_concepts_propose": CONCEPT,
        "api_concept": CONCEPT,
        "api_concept_change": CONCEPT,
        "api_own_dispute": "answer answered_at at id person units words",
        "api_target_take": "taken",
        "api_notices": NOTICES,
        "api_notices_seen": NOTICES,
        "api_questions": "about answers at by id mine published_at replies role section text texts",
        "api_answers": "",
        "api_own_item": OWN_ITEM,
        "api_own_item_accept": OWN_ITEM,
        "api_own_item_dispute": OWN_ITEM,
        "api_token_revoke": TOKEN,
        "api_own_items": "at author_label content.* key returned target",
        "api_allocations": "drafts language slots text token",
        "api_allocation_skip": "items",
        "api_own_pay": "end start sums.amount sums.approved sums.currency sums.disputed sums.waiting",
        "api_own_pay_export": "action amount answer approved_until at currency disputed entry n project rate reason "
        "target unit units",
    },
    "validator": COMMON
    | {
        "api_notices": NOTICES,
        "api_notices_seen": NOTICES,
        "api_questions": "about answers at by id mine published_at replies role section text texts",
        "api_question": THREAD,
        "api_question_reply": THREAD,
        "api_answers": "",
        "api_own_pay": "end start sums",
        "api_own_pay_export": "",
        "api_tokens": "",
        "api_work_next": WORK,
        "api_vote": WORK,
        "api_vote_skip": WORK,
        "api_vote_stay": "until",
    },
}


def fields(thing: Any, where: str = "") -> set[str]:
    """The names of fields in an answer, by their way; a list's are those of its rows."""
    if isinstance(thing, list):
        return set().union(*(fields(one, where) for one in thing)) if thing else {where}
    if not isinstance(thing, dict):
        return {where}
    if where in ("content", "written.more", "read"):
        return {f"{where}.*"}
    found: set[str] = set()
    for name, inner in thing.items():
        found |= fields(inner, f"{where}.{name}".lstrip("."))
    return found or {where}


def seen(world: World, role: str) -> dict[str, set[str]]:
    """What every address of the API answers to a role, by route."""
    client, found = world.client(role), dict[str, set[str]]()
    for row in rows():
        if not row.is_api:
            continue
        for things in (world.own, world.others):
            answer = send(row, client, things)
            if answer.status_code < 300 and "json" in answer["Content-Type"]:
                told = [orjson.loads(line) for line in answer.content.splitlines()]
                told = told[0]["results"] if told and "next" in told[0] else told
                found.setdefault(row.route, set()).update(fields(told))
    return found


def told(found: dict[str, set[str]]) -> dict[str, str]:
    return {route: " ".join(sorted(names - {""})) for route, names in found.items()}


@pytest.mark.parametrize("role", sorted(SEEN))
def test_who_must_stay_blind_sees_these_fields_and_no_others(world: World, role: str) -> None:
    assert told(seen(world, role)) == SEEN[role]


LEAF = "help key labels.help labels.key labels.letter labels.name longest low optional several text texts tie type"


def test_what_is_asked_says_no_more_than_the_page() -> None:
    """A card with questions of every answer type; a criterion is a question without parts."""
    with registered():
        project = a_project()
        card = script(factory.member(project, "validator").user).post(f"projects/{project.slug}/work:next")
        asked = card.json()["card"]["questions"]
    own, parts = asked[:-1], asked[-1]["parts"]
    assert fields([*own, *parts]) == {*LEAF.split(), "high", "labels", "parts"}
    assert fields(parts) == {*LEAF.split(), "high"}


def test_the_matrix_is_not_blind(world: World) -> None:
    """What a lead reads is found, and is in nobody else's row."""
    lead = seen(world, "lead")
    hidden = lead["api_items"] | lead["api_item_votes"]
    assert {"gold", "author", "votes", "annotator", "label", "doubt", "flags"} <= hidden
    for role in SEEN.values():
        for names in role.values():
            assert not {"gold", "annotator", "doubt", "flags", "votes", "author"} & set(names.replace(".", " ").split())
