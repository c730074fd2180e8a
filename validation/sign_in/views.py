"""Sign-in at an institution and back, and the end of the session there."""

from urllib.parse import urlencode

from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from requests import RequestException

from annotation.core.links import site_link
from validation.sign_in.provider import InstitutionOAuth2Adapter


def _adapter(request: HttpRequest, provider_id: str) -> InstitutionOAuth2Adapter:
    """Raises Http404 where the address is not that of the institution, such as of one before it."""
    institution = settings.MUFAKAT_INSTITUTION
    if institution is None or provider_id != institution.provider_id:
        raise Http404
    return InstitutionOAuth2Adapter(request, provider_id)


@require_POST
def login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Go to the institution, to sign in or (`process=connect`) to connect an account."""
    adapter = _adapter(request, provider_id)
    try:
        answer: HttpResponse = OAuth2LoginView.adapter_view(adapter)(request)
    except (RequestException, OAuth2Error, ValueError) as error:
        answer = render_authentication_error(request, None, exception=error)
    return answer


@require_GET
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Come back from it with a code."""
    answer: HttpResponse = OAuth2CallbackView.adapter_view(_adapter(request, provider_id))(request)
    return answer


@require_http_methods(["GET", "HEAD"])
def signed_out(request: HttpRequest) -> HttpResponse:
    """Signed out here; what to do about the session at the institution."""
    if settings.MUFAKAT_INSTITUTION is None:
        raise Http404
    return render(request, "validation/sign_in/signed_out.html", {"name": settings.MUFAKAT_INSTITUTION.name})


@require_GET
def sign_out(request: HttpRequest) -> HttpResponse:
    """Go where the institution ends its session (OpenID Connect RP-Initiated Logout 1.0, section 2)."""
    institution = settings.MUFAKAT_INSTITUTION
    if institution is None:
        raise Http404
    try:
        there = _adapter(request, institution.provider_id).end_session_url
    except (RequestException, OAuth2Error, ValueError):
        there = ""
    if not there:
        return redirect(institution.issuer)
    back = site_link(reverse("account_login"))
    query = urlencode({"client_id": institution.client_id, "post_logout_redirect_uri": back})
    return redirect(f"{there}{'&' if '?' in there else '?'}{query}")
