"""Pages of withdrawals: one's own consent, and a version of a release without some of its rows. Both ask first."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.datasheet.queries import own_place
from annotation.ui.pages import page, show_refusal
from exports.public.queries import publication_of
from exports.releases.models import Release
from exports.releases.queries import release as release_of
from exports.releases.queries import withdrawal_of
from exports.withdrawals import actions, queries
from exports.withdrawals.forms import ReplaceForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_withdrawal(request: HttpRequest, slug: str) -> HttpResponse:
    """What withdrawing one's consent means for votes, pay and figures; POST withdraws it. Open also to who left."""
    place = own_place(request.user, slug)
    user = access.signed_in(request.user)
    if request.method == "POST" and "sure" in request.POST:
        actions.consent_withdraw(annotator=place, by=user)
        messages.success(request, gettext("Your consent is withdrawn. You have left the project."))
        return redirect("my_withdrawal", slug=slug)
    context = {
        "project": place.project,
        "annotator": place,
        "withdrawn": withdrawal_of(place),
        "share": queries.own_share(user, place),
        "unticked": request.method == "POST",
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "exports/withdrawals/my_withdrawal.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def release_replace(request: HttpRequest, slug: str, n: int) -> HttpResponse:
    """Name what a new version of a release leaves out; POST counts that, and makes it once it is confirmed."""
    membership = access.administrator_membership(request.user, slug)
    release = release_of(membership, n)
    if request.method != "POST":
        people = "\n".join(row.annotator.pseudonym for row in queries.withdrawn_since(release) if row.annotator)
        return _page(request, membership, release, ReplaceForm(initial={"people": people, "kind": "withdrawal"}))
    form = ReplaceForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, release, form, 422)
    sent = form.cleaned_data
    try:
        named = queries.find_withdrawn(release, **form.names())
        if "confirm" not in request.POST:
            effect = queries.effect_to_confirm(release, named)
            return _page(request, membership, release, form, effect=effect)
        how = {name: sent[name] for name in ("kind", "reason", "withdraw_files")}
        made = actions.release_replace(release=release, named=named, by=membership.user, **how)
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, release, form, show_refusal(form, refusal))
    return redirect("release", slug=made.project.slug, n=made.n)


def _page(
    request: HttpRequest,
    membership: Membership,
    release: Release,
    form: ReplaceForm,
    status: int = 200,
    effect: queries.Effect | None = None,
) -> HttpResponse:
    whole = release.whole or release
    context = {
        "release": release,
        "form": form,
        "effect": effect,
        "publication": publication_of(whole),
        "published_at": whole.published_at,
        "withdrawn": queries.withdrawn_people(membership.project),
    }
    return page(request, membership, "releases", "exports/withdrawals/release_replace.html", status=status, **context)
