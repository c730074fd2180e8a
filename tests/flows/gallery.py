"""A page with every shared component in every state, and the addresses of the site with it: for `test_gallery`."""

from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import include, path

from annotation import kinds
from annotation.kinds import Label

PAGE = (Path(__file__).parent / "gallery.html").read_text()


class EveryField(forms.Form):
    """One field of each sort, with a help text and with an error where nothing is sent."""

    text = forms.CharField(label="Text", help_text="What it is for.")
    longer = forms.CharField(label="Longer text", widget=forms.Textarea(attrs={"rows": 3}))
    number = forms.IntegerField(label="Number", min_value=1)
    day = forms.DateField(label="Day", required=False)
    choice = forms.ChoiceField(label="One of these", choices=[("a", "First"), ("b", "Second")])
    several = forms.MultipleChoiceField(
        label="Several of these",
        choices=[("a", "First"), ("b", "Second")],
        widget=forms.CheckboxSelectMultiple,
    )
    tick = forms.BooleanField(label="A tick", help_text="What a tick means.")
    file = forms.FileField(label="A file")


def gallery(request: HttpRequest) -> HttpResponse:
    """Every component, with messages of every level; with errors after a POST."""
    for level, words in (
        (messages.SUCCESS, "Saved."),
        (messages.WARNING, "Nearly."),
        (messages.ERROR, "Not saved."),
    ):
        messages.add_message(request, level, words)
    every = [(kind.name, kind.question.labels) for kind in kinds.all_kinds()]
    votes: list[dict[str, Any]] = [
        {
            "label": label,
            "who": f"V0{n}",
            "author": not n,
            "unsure": n == 1,
            "ambiguous": None if n == 2 else n == 1,
        }
        for n, label in enumerate(_labels())
    ]
    context = {
        "kinds": every,
        "choices": _labels(),
        "votes": votes,
        "parts": [
            ("equal", "Ibu membeli "),
            ("delete", "bayam"),
            ("insert", "kangkung"),
            ("equal", " di pasar."),
        ],
        "sorts": ("ok", "warn", "error"),
        "form": EveryField({} if "empty" in request.GET else None),
        "stages": [
            {"name": "Written", "count": 40, "url": "#main"},
            {"name": "Gold", "count": 12, "url": None},
        ],
        "words": [("kangkung", 12), ("bayam", 3)],
        "page": Paginator(range(100), 10).page(4),
    }
    return HttpResponse(engines["django"].from_string(PAGE).render(context, request))


def _labels() -> tuple[Label, ...]:
    return kinds.get("nli").question.labels


urlpatterns = [path("gallery/", gallery, name="gallery"), path("", include("config.urls"))]
