"""Small worlds for tests: people, projects, premises, pairs that wait for votes."""

import itertools
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.access import Membership
from annotation.core.actions.members import annotator_add
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User, canonical_email
from annotation.kinds import SlotIn
from annotation.projects.actions.projects import project_create
from annotation.writing.actions.allocation import PremiseIn, allocations_assign, premises_add
from annotation.writing.actions.writing import set_submit

PASSWORD = "a-long-password-for-tests"
_numbers = itertools.count(1)


@cache
def _hashed_password() -> str:
    """Hashed once in a process: in those with the settings of a real site each time takes a fifth of a second."""
    return make_password(PASSWORD)


def user(email: str = "", *, administrator: bool = False, name: str = "", language: str = "en") -> User:
    """An account with a verified address, whose pages are in English, as the tests read them."""
    from allauth.account.models import EmailAddress

    address = email or f"person{next(_numbers)}@example.org"
    made = User.objects.create(
        email=canonical_email(address),
        password=_hashed_password(),
        name=name,
        is_administrator=administrator,
        language=language,
    )
    EmailAddress.objects.create(user=made, email=made.email, verified=True, primary=True)
    return made


def project(slug: str = "", *, preset: str = "indonli-expert", **fields: Any) -> Project:
    """A project that offers sets to validators at once (no quarter of an hour)."""
    settings = {"offer_minutes": 0, "tags": "off", **fields.pop("settings", {})}
    name = slug or f"project-{next(_numbers)}"
    return project_create(
        slug=name, name=name, preset=preset, seed=fields.pop("seed", "seed"), settings=settings, **fields
    )


def member(of: Project, *roles: str, account: User | None = None) -> Annotator:
    """A person with these roles in the project."""
    return annotator_add(
        project=of,
        user=account or user(),
        writer="writer" in roles,
        validator="validator" in roles,
        lead="lead" in roles,
        reviewer="reviewer" in roles,
    )


def reader(of: Project) -> Membership:
    """An administrator who reads everything of the project."""
    return Membership(user(administrator=True), of, None)


def premises(of: Project, count: int, *, start: int = 1) -> list[Any]:
    """Premises with a text of their own each."""
    target = of.targets.get()
    rows = [
        PremiseIn(
            key=f"p{number}",
            text=f"Pedagang nomor {number} menjual mangga dan pisang di pasar pagi.",
            sentence_class="single",
            document=f"doc{number}",
        )
        for number in range(start, start + count)
    ]
    return premises_add(target=target, rows=rows)


SET = {
    "e1": "Ada mangga yang dijual di pasar.",
    "e2": "Pisang dijual pada pagi hari.",
    "n1": "Pedagang itu membawa mangga dari kebunnya sendiri.",
    "n2": "Harga pisang di pasar itu sedang naik.",
    "c1": "Pasar itu hanya menjual ikan.",
    "c2": "Pedagang di pasar pagi kehabisan mangga.",
}


def full_set(of: Project) -> dict[str, SlotIn]:
    """A set of six that no check blocks."""
    return {slot.key: SlotIn(text=SET[slot.key]) for slot in of.kind_spec.authoring.slots(of.rules)}


def written_pairs(of: Project, writer: Annotator, count: int = 1) -> list[Item]:
    """`count` premises written whole by this writer: six pairs each."""
    premises(of, count, start=of.premises.count() + 1)
    return written_pairs_of(of, writer, count)


def written_pairs_of(of: Project, writer: Annotator, count: int = 1) -> list[Item]:
    """The next premises of the project written whole by this writer."""
    allocations_assign(target=of.targets.get(), writers=[writer], size=count)
    items: list[Item] = []
    for allocation in Allocation.objects.filter(writer=writer, state="open").order_by("pk"):
        items += set_submit(writer=writer, token=allocation.token, slots=full_set(of))
    return items
