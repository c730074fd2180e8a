"""Premises given out, on the page People and by command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.content.models.source import Allocation, Premise
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import source_skip
from tests import factory

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    of = factory.project("p1")
    factory.premises(of, 7)
    return of


def _held(writer: Annotator) -> int:
    return writer.allocations.filter(state=Allocation.State.OPEN).count()


def test_a_lead_gives_every_writer_a_share(project: Project, client: Client) -> None:
    writers = [factory.member(project, "writer") for _ in range(2)]
    lead = factory.member(project, "lead")
    assert lead.user is not None
    client.force_login(lead.user)
    address = reverse("people_allocate", args=[project.slug])
    answer = client.post(address, {"size": "2", "to": ""}, follow=True)
    assert "Given out: 4 premises." in answer.content.decode()
    assert "3 premises are in nobody" in answer.content.decode()
    assert [_held(writer) for writer in writers] == [2, 2]
    client.post(address, {"size": "9", "to": writers[1].pseudonym})
    assert [_held(writer) for writer in writers] == [2, 5]
    answer = client.post(address, {"size": "9"}, follow=True)
    assert "Nothing was given out" in answer.content.decode()


@pytest.mark.parametrize(
    "sent", [{}, {"size": "0"}, {"size": "-1"}, {"size": "²"}, {"size": "9" * 40}, {"size": "1", "to": "W99"}]
)
def test_what_makes_no_sense_is_refused(project: Project, client: Client, sent: dict[str, str]) -> None:
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    assert lead.user is not None
    client.force_login(lead.user)
    answer = client.post(reverse("people_allocate", args=[project.slug]), sent)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert _held(writer) == 0


def test_free_is_what_can_be_given(project: Project) -> None:
    writer, other = factory.member(project, "writer"), factory.member(project, "writer")
    target = project.targets.get()
    allocations_assign(target=target, writers=[writer], size=2)
    open_allocations = list(writer.allocations.order_by("position"))
    source_skip(writer=writer, token=open_allocations[0].token, reason="broken")
    assert _held(other) == 1  # a skipped premise goes on to the other writer at once
    assert Premise.objects.filter(project=project).free().count() == 5
    source_skip(writer=other, token=other.allocations.get().token, reason="broken")
    assert Premise.objects.filter(project=project).free().count() == 5


def test_command(project: Project) -> None:
    with pytest.raises(CommandError, match="no writer yet"):
        call_command("allocate_sources", "p1")
    writers = [factory.member(project, "writer") for _ in range(2)]
    told = StringIO()
    call_command("allocate_sources", "p1", "--to", writers[0].pseudonym, "--size", "3", stdout=told)
    assert told.getvalue() == "given out: 3 to 1\n"
    call_command("allocate_sources", "p1", stdout=told)
    assert sum(map(_held, writers)) == 7
    for wrong in (["nope"], ["p1", "--to", "W99"], ["p1", "--size", "0"]):
        with pytest.raises(CommandError):
            call_command("allocate_sources", *wrong)
