"""Human baselines: answered one item a screen, nothing about anybody; drawn, followed, ended and read by leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access as members
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.kinds import Kind, Label
from annotation.ui.csv_files import csv_answer
from annotation.ui.pages import context, refused, whole_number
from annotation.ui.tables import NUMBER, WORD, Table, columns, table
from exports.baselines import queries, rules
from exports.baselines.actions import (
    LOOK,
    SourceIn,
    answer_give,
    baseline_create,
    baseline_end,
    baseline_replace,
)
from exports.baselines.forms import BaselineForm
from exports.baselines.models import Baseline, BaselineItem, BaselineSource
from exports.releases.models import Release
from validation.studies.models import DiagnosticSet
from validation.studies.views.pages import Texts, accuracy_columns, answered, texts_shown, upcoming
from validation.voting.rules.option_order import labels_shown
from validation.voting.views.card_page import CardPage
from validation.voting.views.cards import Choice


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def baselines(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's human baselines; administrators draw a new one."""
    membership = queries.overseer(request.user, slug)
    if request.method != "POST":
        return _list(request, membership, _form(membership) if membership.is_administrator else None)
    members.administrator(request.user, slug)
    form = _form(membership, request)
    if not form.is_valid():
        return _list(request, membership, form, status=422)
    try:
        made = baseline_create(
            project=membership.project,
            sources=_chosen(membership, form),
            task=form.cleaned_data["task"].replace("\r\n", "\n"),
            people=form.cleaned_data["people"],
            examples=form.cleaned_data["examples"],
            by=membership.user,
        )
    except (Invalid, Conflict) as refusal:
        return _list(request, membership, form, status=refused(form, refusal))
    messages.success(
        request, gettext("The items are drawn. Next: invite people to answer them, as “human baseline”.")
    )
    return redirect("baseline", slug, made.n)


def _list(
    request: HttpRequest, membership: Membership, form: BaselineForm | None, *, status: int = 200
) -> HttpResponse:
    shown = context(membership, "baselines", listed=queries.listed(membership), form=form)
    return render(request, "exports/baselines/baselines.html", shown, status=status)


def _form(membership: Membership, request: HttpRequest | None = None) -> BaselineForm:
    """Every set and release that can be drawn from; the usual number stands at the newest of each."""
    sets, releases = queries.drawable(membership.project)
    sources = {
        f"set-{each.pk}": (_name(each), 0 if n else rules.USUAL_OF_SET) for n, each in enumerate(sets)
    } | {
        f"release-{each.pk}": (_name(each), 0 if n or sets else rules.USUAL_OF_RELEASE)
        for n, each in enumerate(releases)
    }
    initial = {
        "people": rules.USUAL_PEOPLE,
        "examples": rules.USUAL_EXAMPLES,
        "task": _usual_task(queries.answered_kind(membership.project)),
    }
    return BaselineForm(request.POST if request else None, initial=initial, sources=sources)


def _name(of: DiagnosticSet | Release) -> str:
    names = {"project": of.project.name, "n": of.n}
    if isinstance(of, Release):
        return _("Test of release %(n)s of %(project)s") % names
    return _("Diagnostic set %(n)s of %(project)s") % names


def _usual_task(kind: Kind | None) -> str:
    """The question and what each answer means, as the kind has them; to be said in the project's own words."""
    if kind is None:
        return ""
    explained = [f"{gettext(label.name)}: {gettext(label.help)}" for label in kind.labels if label.help]
    return "\n".join([gettext(kind.question), *explained])


def _chosen(membership: Membership, form: BaselineForm) -> list[SourceIn]:
    sets, releases = queries.drawable(membership.project)
    there: dict[str, DiagnosticSet | Release] = {f"set-{each.pk}": each for each in sets}
    there |= {f"release-{each.pk}": each for each in releases}
    return [SourceIn(there[name], n) for name, n in form.chosen()]


@login_required
@require_GET
def baseline(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """One baseline: what it asks, how far people are, and how often they are right."""
    membership = queries.overseer(request.user, slug)
    result, kind = queries.one(membership, n), queries.answered_kind(membership.project)
    assert kind is not None  # noqa: S101 - the overseer of nothing else gets here
    sources = queries.sources(result)
    judged = _judged(result, sources)
    labels = () if kind.own_options else kind.label_keys
    names = {source.n: _name(source.of) for source in sources}
    shown = context(
        membership,
        "baselines",
        found=result,
        state=_("ended") if result.ended_at else _("goes on"),
        sources=[(name, sum(each.row.source == n for each in judged)) for n, name in names.items()],
        asked=len(judged),
        over=sum(each.over for each in judged),
        shown=result.items.filter(example=True).count(),
        most=_accuracies(rules.of_majority(judged, labels), names, kind),
        each=_accuracies(rules.of_people(judged), names, kind, by_person=True),
        progress=queries.progress(result),
    )
    return render(request, "exports/baselines/baseline.html", shown)


def _judged(found: Baseline, sources: Sequence[BaselineSource]) -> list[rules.Judged]:
    frequent = {source.n: source.frequent for source in sources}
    return rules.judge(queries.rows_of(found), found.people, frequent)


def _accuracies(
    counted: Sequence[rules.Accuracy], names: Mapping[int, str], kind: Kind, *, by_person: bool = False
) -> Table | None:
    """How often people are right: by gold label, with how many items they make no majority of, or by person."""
    words = {"": _("all"), **{label.key: _(label.name) for label in kind.labels}}
    rows = [
        (
            each.who if by_person else words.get(each.label, each.label),
            _("all") if each.source is None else names[each.source],
            each.n,
            each.right,
            each.percent,
            each.percents,
            each.split,
        )
        for each in counted
    ]
    names_of = columns(WORD, _("Who") if by_person else _("Gold"), _("Drawn from"))
    split = [] if by_person else columns(NUMBER, _("No majority"))
    return table([*names_of, *accuracy_columns(), *split], rows) if rows else None


@login_required
@require_GET
def baseline_file(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Every item as CSV: where it is from, gold, what the people's answer is, and what each said."""
    result = queries.one(queries.overseer(request.user, slug), n)
    sources = queries.sources(result)
    names = {
        each.n: f"{each.of.project.slug} {'release' if each.release else 'diagnostic'} {each.of.n}"
        for each in sources
    }
    head = ("id", "source", "gold", "answer", "majority", "right", "answers")
    rows = [
        (
            each.row.key,
            names[each.row.source],
            each.row.gold,
            each.label,
            int(each.agreed) if each.over else "",
            int(each.right) if each.over else "",
            " ".join(f"{who}:{label}" for who, label in each.row.said),
        )
        for each in _judged(result, sources)
    ]
    return csv_answer([head, *rows], f"{slug}-baseline-{result.n}.csv")


@login_required
@require_POST
def baseline_over(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """End a baseline."""
    membership = queries.overseer(request.user, slug)
    baseline_end(project=membership.project, n=queries.one(membership, n).n, by=membership.user)
    messages.success(request, gettext("The human baseline has ended. Nobody is asked any more."))
    return redirect("baseline", slug, n)


@login_required
@require_POST
def baseline_other(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Let somebody else take a person's place."""
    membership = queries.overseer(request.user, slug)
    wanted, result = whole_number(request.POST.get("person")), queries.one(membership, n)
    try:
        baseline_replace(project=membership.project, n=result.n, annotator_id=wanted, by=membership.user)
    except Conflict as refusal:
        messages.error(request, problem_words(refusal.code))
    else:
        messages.success(request, gettext("The place is free: the next person who begins takes it."))
    return redirect("baseline", slug, n)


PAGE = CardPage(
    room="answer",
    name=gettext_noop("Answer"),
    page="exports/baselines/answer.html",
    card="exports/baselines/partials/answer_card.html",
    send="answer_send",
)


class ShownExample(NamedTuple):
    """One example: the texts, its options where it has its own, and the right label."""

    texts: Texts
    options: list[Label]
    gold: Label | None


@dataclass(frozen=True)
class AnswerCard:
    """What somebody sees of an item. Nothing of it says what is right, what others said, or how many there are."""

    token: str
    shown: str
    texts: Texts
    question: str
    language: str
    own: bool
    choices: list[Choice]
    task: str
    examples: list[ShownExample]
    begins: bool


def _card(annotator: Annotator, asked: BaselineItem) -> AnswerCard:
    kind, content, order = queries.card_facts(asked, annotator)
    examples = [
        ShownExample(
            texts_shown(kind, example),
            list(kind.ballot(example)) if kind.own_options else [],
            kind.label_in(example, gold),
        )
        for example, gold in queries.examples(asked.baseline)
    ]
    return AnswerCard(
        token=asked.token,
        shown=LOOK.mark(annotator, asked.token),
        texts=texts_shown(kind, content),
        question=kind.question,
        language=asked.item.target.language,
        own=kind.own_options,
        choices=[
            Choice(f"label-{n}", label, label.letter.lower(), False)
            for n, label in enumerate(labels_shown(kind, content, order), start=1)
        ],
        task=asked.baseline.task,
        examples=examples,
        begins=queries.begins(annotator, asked.baseline),
    )


def _next(annotator: Annotator) -> AnswerCard | None:
    asked = queries.next_item(annotator)
    return _card(annotator, asked) if asked else None


@login_required
@require_GET
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """What this person is asked next."""
    membership, annotator = members.member(request.user, slug, "baseline")
    return PAGE.show(request, membership, upcoming(membership, lambda: _next(annotator)))


@login_required
@require_POST
def answer_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one answer and show the next item."""
    membership, annotator = members.member(request.user, slug, "baseline")
    label, mark = request.POST.get("label", ""), request.POST.get("shown", "")
    return answered(
        request,
        membership,
        PAGE,
        lambda: answer_give(annotator=annotator, token=token, label=label, mark=mark),
        lambda _: _card(annotator, queries.item_of(annotator, token)),
        lambda: _next(annotator),
    )
