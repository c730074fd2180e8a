"""Group review: the prompts of a project, one prompt with its proposals, and a page for a projector."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator
from annotation.elicitation.models import Session
from annotation.elicitation.rules.prompts import CONTEXT, PERSONAL, REQUIRED
from annotation.elicitation.rules.responses import BEST, IRRELEVANT, RELEVANT
from annotation.kinds import Kind, option_field, text_at
from annotation.ui.navigation import frame_context
from validation.consensus import stages
from validation.group_review import actions
from validation.group_review import queries as fetch
from validation.group_review import rules as suggestions

PAGE = 50
# What stands in a form beside the texts of a proposal.
OTHER_FIELDS = ("csrfmiddlewaretoken", "form", "words", "later")
SIDES = ((_("Relevant responses"), (BEST, RELEVANT)), (_("Irrelevant responses"), (IRRELEVANT,)))


@login_required
@require_GET
def group(request: HttpRequest, slug: str, session_id: int) -> HttpResponse:
    """Every prompt, families together, with how many proposals are open; `?open=1` those with some only."""
    membership = fetch.group_membership(request.user, slug)
    session = fetch.session_in(membership, session_id)
    narrowed = bool(request.GET.get("open"))
    there = fetch.prompts(membership, waiting=narrowed)
    page = Paginator(fetch.with_open_counts(there), PAGE).get_page(request.GET.get("page"))
    context = {
        **frame_context(membership, "sessions"),
        "session": session,
        "page": page,
        "families": fetch.group_by_family(list(page)),
        "narrowed": narrowed,
    }
    return render(request, "validation/group_review/group.html", context)


@login_required
@require_GET
def group_prompt(request: HttpRequest, slug: str, session_id: int, item_id: int) -> HttpResponse:
    """One prompt: the whole text, its parts and responses, and what is proposed about it."""
    membership = fetch.group_membership(request.user, slug)
    session = fetch.session_in(membership, session_id)
    return _page(request, membership, session, fetch.prompt(membership, item_id))


@login_required
@require_POST
def group_suggest(request: HttpRequest, slug: str, session_id: int, item_id: int) -> HttpResponse:
    """Propose something; what makes no proposal is kept in its form."""
    session = fetch.session_in(fetch.group_membership(request.user, slug), session_id)
    membership, who = fetch.participant(request.user, slug)
    form = request.POST.get("form", "")
    typed = {name: request.POST.get(name, "") for name in request.POST if name not in OTHER_FIELDS}
    typed["later"] = " ".join(request.POST.getlist("later"))
    words = request.POST.get("words", "")
    here = {"session_id": session_id, "item_id": item_id}
    try:
        made = actions.suggest(by=who, **here, form=form, typed=typed, words=words)
    except (Conflict, Invalid) as refusal:
        item = fetch.prompt(membership, item_id)
        return _page(request, membership, session, item, act=form, typed={**typed, "words": words}, refusal=refusal)
    messages.success(request, gettext("Your proposal is kept."))
    return redirect(_suggestion_url(slug, session_id, item_id, made.pk))


def _suggestion_url(slug: str, session_id: int, item_id: int, suggestion_id: int) -> str:
    return f"{reverse('group_prompt', args=[slug, session_id, item_id])}#proposal-{suggestion_id}"


# --- what is done with a proposal ------------------------------------------------------------


def _remark(who: Annotator, here: Mapping[str, int], post: QueryDict) -> None:
    actions.remark(by=who, **here, text=post.get("text", ""))


def _take_back(who: Annotator, here: Mapping[str, int], post: QueryDict) -> None:
    actions.take_back(by=who, **here)


def _accept(who: Annotator, here: Mapping[str, int], post: QueryDict) -> None:
    raw = post.get("revision", "")
    seen = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 0
    meaning, words = post.get("meaning", ""), post.get("words", "")
    actions.accept(lead=who, **here, revision_n=seen, meaning=meaning, reason=words)


def _decline(who: Annotator, here: Mapping[str, int], post: QueryDict) -> None:
    actions.decline(lead=who, **here, reason=post.get("words", ""))


Act = Callable[[Annotator, Mapping[str, int], QueryDict], None]
# What is done, how it is said, and whether only leads do it.
ACTS: Mapping[str, tuple[Act, str, bool]] = {
    "remark": (_remark, _("Your words are in the thread."), False),
    "back": (_take_back, _("You took your proposal back."), False),
    "accept": (_accept, _("Accepted: the change is made."), True),
    "decline": (_decline, _("Declined; the prompt stays as it is."), True),
}


@login_required
@require_POST
def group_act(request: HttpRequest, slug: str, session_id: int, suggestion_id: int, act: str) -> HttpResponse:
    """Do one thing with a proposal: say something, take it back, accept or decline it."""
    membership = fetch.group_membership(request.user, slug)
    if act not in ACTS:
        raise NotFound
    do, done, for_leads = ACTS[act]
    if for_leads and not membership.sees_all:
        raise Forbidden
    session = fetch.session_in(membership, session_id)
    membership, who = fetch.participant(request.user, slug)
    item = actions.suggestion_in(who, session_id, suggestion_id).item
    here = {"session_id": session_id, "suggestion_id": suggestion_id}
    try:
        do(who, here, request.POST)
    except (Conflict, Invalid) as refusal:
        fresh = fetch.prompt(membership, item.pk)
        typed = {name: request.POST.get(name, "") for name in ("text", "words", "meaning")}
        return _page(request, membership, session, fresh, act=act, about=suggestion_id, typed=typed, refusal=refusal)
    messages.success(request, gettext(done))
    return redirect(_suggestion_url(slug, session_id, item.pk, suggestion_id))


def _page(
    request: HttpRequest,
    membership: Membership,
    session: Session,
    item: Item,
    *,
    act: str = "",
    about: int = 0,
    typed: Mapping[str, str] | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    kind, content = membership.project.kind_spec, content_queries.contents([item])[item.pk]
    names = fetch.text_names_of(kind, content)
    wrong = refusal.field if refusal else ""
    there = fetch.prompts(membership).order_by("key").values_list("pk", flat=True)
    own = membership.annotator.pk if membership.annotator else 0
    can_propose = membership.project.closed_at is None and item.stage != stages.EXCLUDED
    context = {
        **frame_context(membership, "sessions"),
        "keys_off": not membership.user.single_keys,
        "session": session,
        "item": item,
        "text": kind.presentation.headline(content)[0],
        "topic": content.get("concept", ""),
        "parts": [(names[part], text_at(content, part)) for part in suggestions.PARTS if text_at(content, part)],
        "sides": _sides(content),
        "proposals": fetch.suggestions_of(item, lead=membership if membership.sees_all else None),
        "forms": forms_of(kind, content, act=act, typed=typed, wrong=wrong) if can_propose else [],
        "before": there.filter(key__lt=item.key).last(),
        "after": there.filter(key__gt=item.key).first(),
        "left_out": item.stage == stages.EXCLUDED,
        "own": own,
        "wrote": item.author_id == own,
        "act": act,
        "about": about,
        "typed": typed or {},
        "problem": refusal.code if refusal else "",
    }
    status = 200 if refusal is None else 409 if isinstance(refusal, Conflict) else 422
    return render(request, "validation/group_review/group_prompt.html", context, status=status)


def _sides(content: Mapping[str, object]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    return [(name, fetch.responses(content, roles)) for name, roles in SIDES]


# --- for a room ------------------------------------------------------------------------------


@login_required
@require_GET
def show(request: HttpRequest, slug: str, session_id: int) -> HttpResponse:
    """One prompt for a room with a projector: nothing but its text; the responses when somebody asks for them."""
    membership = fetch.group_membership(request.user, slug)
    session = fetch.session_in(membership, session_id)
    there = fetch.prompts(membership)
    total = there.count()
    at = min(max(_prompt_number(request), 1), max(total, 1))
    item = there.select_related("project")[at - 1 : at].first()
    content = content_queries.contents([item])[item.pk] if item else {}
    context = {
        "project": membership.project,
        "session": session,
        "item": item,
        "text": membership.project.kind_spec.presentation.headline(content)[0] if item else "",
        "topic": content.get("concept", ""),
        "sides": _sides(content),
        "at": at,
        "total": total,
        "before": at - 1 if at > 1 else 0,
        "after": at + 1 if at < total else 0,
    }
    return render(request, "validation/group_review/show.html", context)


def _prompt_number(request: HttpRequest) -> int:
    raw = request.GET.get("at", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 1


HELP: Mapping[str, str] = {
    suggestions.REWORD: _(
        "Change what you would have otherwise. A new context goes to every prompt that has this one."
    ),
    suggestions.REPHRASE: _("Change the responses that you would have otherwise."),
    suggestions.COMBINE: _(
        "Give the id of the other prompt, and write the combined prompt. The other one is left out then."
    ),
    suggestions.SPLIT: _("Write both prompts. The second has the same responses to begin with."),
    suggestions.VARIATION: _(
        "Another personal situation for the same prompt. Its writer then changes the responses that you tick."
    ),
}
FIRST_HALF, SECOND_HALF = _("First prompt"), _("Second prompt")


@dataclass(frozen=True)
class Field:
    """One text of a form; `wrong` says that it is what keeps the proposal from being made."""

    name: str
    id: str
    label: str
    value: str
    lines: bool = False
    needed: bool = False
    own: bool = False
    wrong: bool = False


def forms_of(
    kind: Kind,
    content: Mapping[str, Any],
    *,
    act: str = "",
    typed: Mapping[str, str] | None = None,
    wrong: str = "",
) -> list[SimpleNamespace]:
    """Every form for a prompt; `act` is the one that was sent and refused, with what was `typed` there.

    `groups` are a form's fields under their titles, `later` responses to tick.
    """
    names = fetch.text_names_of(kind, content)
    made = []
    for key, name in suggestions.FORMS.items():
        here = (typed or {}) if key == act else {}
        build = _FormBuilder(key, names, content, here, wrong if key == act else "")
        made.append(
            SimpleNamespace(
                key=key,
                name=gettext(name),
                help=gettext(HELP[key]),
                groups=build.groups(),
                later=build.later() if key == suggestions.VARIATION else [],
                words=here.get("words", ""),
                open=key == act,
            )
        )
    return made


@dataclass(frozen=True)
class _FormBuilder:
    key: str
    names: Mapping[str, str]
    content: Mapping[str, Any]
    typed: Mapping[str, str]
    wrong: str

    def groups(self) -> list[tuple[str, list[Field]]]:
        if self.key == suggestions.REWORD:
            return [("", self._parts())]
        if self.key == suggestions.REPHRASE:
            names = map(option_field, suggestions.option_keys(self.content))
            return [("", [self._field(name, name, lines=True, needed=True) for name in names])]
        if self.key == suggestions.COMBINE:
            other = self._one("other", gettext("Id of the other prompt"), "", needed=True, own=True)
            return [("", [other, *self._parts()])]
        if self.key == suggestions.SPLIT:
            second = self._parts(f"{suggestions.SECOND}-")
            return [(gettext(FIRST_HALF), self._parts()), (gettext(SECOND_HALF), second)]
        return [("", [self._one(PERSONAL, gettext(self.names[PERSONAL]), "", needed=True)])]

    def later(self) -> list[tuple[str, str, bool]]:
        ticked = self.typed.get("later", "").split()
        return [
            (key, text_at(self.content, option_field(key)), key in ticked)
            for key in suggestions.option_keys(self.content)
        ]

    def _parts(self, before: str = "") -> list[Field]:
        return [
            self._field(before + part, part, lines=part == CONTEXT, needed=part in REQUIRED)
            for part in suggestions.PARTS
        ]

    def _field(self, name: str, text: str, *, lines: bool, needed: bool) -> Field:
        return self._one(name, gettext(self.names[text]), text_at(self.content, text), lines=lines, needed=needed)

    def _one(
        self,
        name: str,
        label: str,
        stands: str,
        *,
        lines: bool = False,
        needed: bool = False,
        own: bool = False,
    ) -> Field:
        value = self.typed.get(name, stands)
        return Field(name, f"{self.key}-{name}", label, value, lines, needed, own, name == self.wrong)
