"""The page that sends leads without a required second factor to its setup."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@login_required
@require_safe
def second_factor(request: HttpRequest) -> HttpResponse:
    """Why the page that was opened is not shown, and what to do."""
    return render(request, "annotation/core/second_factor.html", status=403)
