"""The switch of the language at the end of each page."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from annotation.core.actions.accounts import user_language
from annotation.core.models.user import User
from annotation.core.rules.languages import INTERFACE_LANGUAGES


@require_POST
def language_switch(request: HttpRequest) -> HttpResponseBase:
    """Show this browser, and who is signed in wherever they are, another language; then the page that was open."""
    language = request.POST.get("language", "")
    if language in INTERFACE_LANGUAGES and isinstance(request.user, User):
        user_language(user=request.user, language=language)
    return set_language(request)
