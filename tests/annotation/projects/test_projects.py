"""Projects: made from a preset on a page and by command; settings, protocol and guidelines change by versions."""

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from annotation import kinds
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.core.rules.settings import MACHINE_SETTINGS
from annotation.projects.actions.projects import project_create
from tests import factory
from validation.consensus.protocol import PRESETS, Protocol
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db


def _as(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return factory.project("p1", by=boss)


def _fields(client: Client, url: str, **changes: str) -> dict[str, str]:
    """What the page's forms hold, with changes: what a browser would send."""
    context = client.get(url).context
    found: dict[str, str] = {}
    for form in (context["form"], context.get("rules")):
        for bound in form or ():
            value = bound.value()
            if value is not None and value is not False:
                found[bound.html_name] = str(value)
    return {**found, "version": str(context.get("version", "")), **changes}


def test_every_field_of_the_protocol_is_explained_and_prefilled(boss: User) -> None:
    client, url = _as(boss), reverse("project_new")
    assert {preset.slug for preset in client.get(url).context["presets"]} >= {"indonli-lay", "indonli-expert"}
    page = client.get(url + "?preset=indonli-expert")
    assert "name" not in page.context["rules"].fields
    assert "author + 2, +1, +1; three equal; share validated 1" in page.text
    assert page.context["opened"] is False
    for field in set(Protocol.__dataclass_fields__) - {"name", "commitment", "audit_rule"}:
        assert page.context["rules"][field].help_text
    assert page.context["rules"]["rounds"].value() == "2, 1, 1"
    fields = _fields(client, url + "?preset=indonli-expert", name="Nama", slug="baru", language="jv")
    fields.update({"register": "ngoko", "protocol-rounds": "3, 2", "seed": "abc"})
    assert client.post(url, fields)["Location"] == "/p/baru/"
    made = Project.objects.get(slug="baru")
    rules = Protocol.from_dict(made.protocols.get().rules)
    assert (rules.rounds, rules.quorum, rules.author) == ((3, 2), 3, "vote")
    assert (made.seed, made.language, made.targets.get().register) == ("abc", "jv", "ngoko")
    assert made.created_by == boss


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"protocol-quorum": "9"}, "quorum"),
        ({"protocol-rounds": "two"}, "rounds"),
        ({"protocol-rounds": "0"}, "rounds"),
        ({"protocol-target": "accept"}, "accept"),
        ({"protocol-tie": "coin"}, "tie"),
        ({"slug": "Not a slug"}, "slug"),
        ({"slug": "p1"}, "slug"),
        ({"language": "!!"}, "language"),
        ({"share": "1.2"}, "share"),
        ({"name": "a\0b"}, "name"),
    ],
)
def test_what_cannot_be_is_said_and_kept(project: Project, boss: User, changes: dict[str, str], field: str) -> None:
    client, url = _as(boss), reverse("project_new")
    fields = _fields(client, url + "?preset=indonli-lay", name="Kept", slug="other", language="id")
    answer = client.post(url, {**fields, **changes})
    assert answer.status_code == 422
    errors = answer.context["form"].errors | answer.context["rules"].errors
    assert list(errors) == [field]
    assert Project.objects.count() == 1
    if field != "name":
        assert "Kept" in answer.text
    # What the preset settled is one line; it stands open where what is wrong is in it.
    assert answer.context["opened"] == (field not in ("name", "slug", "language"))


def test_settings_and_a_page_that_is_behind(project: Project, boss: User) -> None:
    client, url = _as(boss), reverse("settings", args=["p1"])
    first = _fields(client, url)
    assert client.post(url, {**first, "per_label": "3", "sample_share": "0.5"}).status_code == 302
    project.refresh_from_db()
    assert (project.rules.per_label, str(project.sample_share)) == (3, "0.5000")
    stale = client.post(url, {**first, "per_label": "4"})
    assert stale.status_code == 409
    assert stale.context["form"]["per_label"].value() == 4
    shown = {(row.typed, row.current) for row in stale.context["differences"]}
    assert ("4", "3") in shown
    project.refresh_from_db()
    assert project.rules.per_label == 3
    again = {**first, "per_label": "4", "version": str(stale.context["form"]["version"].value())}
    assert client.post(url, again).status_code == 302
    assert client.post(url, {**first, "per_label": "0", "version": "9"}).status_code == 422


def test_the_protocol_gets_a_version(project: Project, boss: User) -> None:
    client = _as(boss)
    first = _fields(client, reverse("settings", args=["p1"]))
    url = reverse("settings_protocol", args=["p1"])
    changed = {**first, "protocol-rounds": "4"}
    assert client.post(url, changed).status_code == 302
    assert project.protocols.count() == 2
    names = list(project.protocols.order_by("n").values_list("rules__name", flat=True))
    assert names == ["author + 2, +1, +1; three equal", "author + 4; three equal"]
    page = client.get(url.replace("/protocol/", "/")).content.decode()
    assert all(name in page for name in names)
    stale = client.post(url, {**first, "protocol-rounds": "5"})
    assert stale.status_code == 409
    assert ("5", "4") in {(row.typed, row.current) for row in stale.context["protocol_differences"]}
    assert client.post(url, {**changed, "version": "x"}).status_code == 422
    assert client.post(url, {**changed, "protocol-quorum": "99"}).status_code == 422
    assert project.protocols.count() == 2


# --- guidelines ---------------------------------------------------------------------------


def test_guidelines_are_read_published_and_compared(project: Project, boss: User) -> None:
    lead, writer = factory.member(project, "lead"), factory.member(project, "writer")
    reader, editor = _as(writer.user), _as(lead.user)
    page = reverse("guidelines", args=["p1"])
    assert [sheet.unread for sheet in reader.get(page).context["sheets"]] == [True, False]
    reader.post(reverse("guidelines_read", args=["p1", "writing"]), {"n": "1"})
    assert not any(sheet.unread for sheet in reader.get(page).context["sheets"])
    edit = reverse("guidelines_edit", args=["p1", "writing"])
    fields = _fields(editor, edit, text="# New\n\nwords", note="shorter")
    fields["version"] = str(editor.get(edit).context["form"]["version"].value())
    assert editor.post(edit, fields).status_code == 302
    sheet = reader.get(page).context["sheets"][0]
    assert (sheet.version.n, sheet.version.by, sheet.unread) == (2, lead.user, True)
    assert "<h2>New</h2>" in reader.get(page).text
    history = reader.get(reverse("guidelines_versions", args=["p1", "writing"])).context["history"]
    assert [version.n for version, _ in history] == [2]
    assert "New" in "".join(text for op, text in history[0][1] if op == "insert")
    stale = editor.post(edit, {**fields, "text": "mine"})
    assert stale.status_code == 409
    assert stale.context["form"]["text"].value() == "mine"
    assert GuidelineVersion.objects.filter(role="writing").count() == 2
    assert editor.post(edit, {**fields, "text": " "}).status_code == 422


def test_reading_ahead_or_back_is_not_believed(project: Project) -> None:
    writer = factory.member(project, "writer")
    client, url = _as(writer.user), reverse("guidelines_read", args=["p1", "writing"])
    client.post(url, {"n": "99"})
    assert Annotator.objects.get(pk=writer.pk).read_guidelines == {"writing": 1}
    client.post(url, {"n": "0"})
    assert Annotator.objects.get(pk=writer.pk).read_guidelines == {"writing": 1}
    assert client.post(url, {"n": "x"}).status_code == 400
    assert client.post(reverse("guidelines_read", args=["p1", "no-role"]), {"n": "1"}).status_code == 400


# --- commands ------------------------------------------------------------------------------


def test_create_project_by_command() -> None:
    out = StringIO()
    options = {"preset": "indonli-expert", "language": "id", "name": "Uji", "seed": "s", "stdout": out}
    call_command("create_project", "uji", **options)
    made = Project.objects.get(slug="uji")
    assert (made.name, made.seed, made.language) == ("Uji", "s", "id")
    assert Protocol.from_dict(made.protocols.get().rules) == PRESETS["incremental-3-5"].titled()
    assert "uji" in out.getvalue()
    for slug, more in (
        ("uji", {}),
        ("a b", {}),
        ("x", {"language": "!"}),
        ("x", {"share": "2"}),
        ("x", {"share": "a"}),
    ):
        with pytest.raises(CommandError):
            call_command("create_project", slug, **{**options, **more})
    assert Project.objects.count() == 1


def test_create_admin_by_command(client: Client) -> None:
    out = StringIO()
    call_command("create_admin", "Boss@Example.org", generate=True, stdout=out)
    password = out.getvalue().split()[-1]
    client.post(reverse("account_login"), {"login": "boss@example.org", "password": password})
    assert client.get(reverse("project_new")).status_code == 200
    for email in ("boss@example.org", "nobody"):
        with pytest.raises(CommandError):
            call_command("create_admin", email, generate=True)


@pytest.mark.parametrize("kind", kinds.all_kinds(), ids=lambda kind: kind.slug)
def test_every_setting_of_the_kind_has_a_name_and_an_explanation(boss: User, kind: kinds.Kind) -> None:
    factory.project("p2")
    told = {"recipe": "mcsqa"} if "recipe" in kind.settings else {}
    Project.objects.filter(slug="p2").update(kind=kind.slug, settings=told)
    form = _as(boss).get(reverse("settings", args=["p2"])).context["form"]
    assert [field.name for field in form] == ["version", "sample_share", *kinds.settings_of(kind)]
    assert all(field.label and field.help_text for field in form if field.name != "version")


def test_where_people_write_nobody_is_asked_what_a_machine_is_told(boss: User) -> None:
    project, web = factory.project("p2", preset="idcsqa"), _as(boss)
    address = reverse("settings", args=["p2"])
    Project.objects.filter(slug="p2").update(settings={**project.settings, "place": "Maluku"})
    fields = {name: value for name, value in _fields(web, address).items() if "protocol-" not in name}
    assert fields["recipe"] == ""
    assert not fields.keys() & set(MACHINE_SETTINGS)
    assert web.post(address, fields | {"recipe": "llm-gen"}).status_code == 302
    assert _fields(web, address)["place"] == "Maluku"


def test_settings_of_questions_are_saved_and_those_of_premises_stay(boss: User) -> None:
    project, web = factory.project("p2", preset="idcsqa"), _as(boss)
    address = reverse("settings", args=["p2"])
    fields = {name: value for name, value in _fields(web, address).items() if "protocol-" not in name}
    assert fields["check_first"] == "True"
    del fields["check_first"]
    fields |= {"writers_each": "3", "own_wording": "on", "per_label": "7"}
    assert web.post(address, fields).status_code == 302
    before = project.rules
    project.refresh_from_db()
    changed = {"check_first": False, "writers_each": 3, "own_wording": True}
    assert project.rules.to_dict() == {**before.to_dict(), **changed}


def test_a_closed_project_takes_no_votes_until_it_is_opened_again(project: Project, boss: User) -> None:
    factory.written_pairs(project, factory.member(project, "writer"))
    person = factory.member(project, "validator")
    decide_due()
    web, voter = _as(boss), _as(person.user)
    card = voter.get(f"/p/{project.slug}/vote/").context["card"]
    address = reverse("settings_closing", args=[project.slug])
    assert web.post(address, {"closed": "yes"}).status_code == 302
    assert voter.get(f"/p/{project.slug}/vote/").context["card"] is None
    assert voter.post(f"/p/{project.slug}/vote/{card.token}/", {"label": "e"}).status_code == 409
    assert web.post(address, {"closed": "no"}).status_code == 302
    assert voter.post(f"/p/{project.slug}/vote/{card.token}/", {"label": "e"}).status_code == 302
    verbs = Event.objects.filter(project=project).values_list("verb", flat=True)
    assert {"project_closed", "project_reopened"} <= set(verbs)


def test_only_a_project_of_the_same_name_is_called_one(boss: User) -> None:
    """A row that the database refuses for anything else is no duplicate, and nobody is told to choose another name."""
    factory.project("taken", by=boss)
    with pytest.raises(Conflict) as refused:
        factory.project("taken", by=boss)
    assert refused.value.code == "slug_taken"
    with pytest.raises(IntegrityError) as broken:
        factory.project("other", by=boss, share=Decimal(2))
    assert "project_share_is_a_share" in str(broken.value)


@pytest.mark.parametrize("sign", ["\n", "\r", "\t", "\0", "\x85", "\u2028", "\u202e", "\u2066", "\u200f"])
def test_a_name_is_one_line_and_turns_no_direction(boss: User, sign: str) -> None:
    """It stands in subjects of mail, in menus and beside other projects' names."""
    with pytest.raises(Invalid) as refused:
        project_create(slug="p9", name=f"Desa{sign}Kota", preset="indonli-lay", by=boss)
    assert (refused.value.field, refused.value.code) == ("name", "name_not_one_line")
    assert not Project.objects.filter(slug="p9").exists()


@pytest.mark.parametrize("name", ["Basa Sunda: ᮞᮥᮔ᮪ᮓ", "عربي", "Desa – Kota (1)", "می\u200cخواهم"])
def test_a_name_in_any_script(boss: User, name: str) -> None:
    assert project_create(slug="p9", name=name, preset="indonli-lay", by=boss).name == name
