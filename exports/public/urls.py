"""Public pages of releases, and their pages for leads."""

from django.urls import path, re_path

from exports.public import views
from exports.releases.rules.signature import ADDRESS

_DATA = "data/<slug:slug>/<int:n>"
urlpatterns = [
    path(ADDRESS.removeprefix("/"), views.release_keys, name="release_keys"),
    path("data/<slug:slug>/", views.public_newest, name="public_newest"),
    path(f"{_DATA}/", views.public_release, name="public_release"),
    path(f"{_DATA}/files/<path:name>", views.public_file, name="public_file"),
    path(f"{_DATA}/errata/", views.erratum_new, name="erratum_new"),
    re_path(
        r"^data/(?P<slug>[-a-zA-Z0-9_]+)/(?P<n>[0-9]+)/(?P<form>citation\.bib|CITATION\.cff|datacite\.json)$",
        views.public_citation,
        name="public_citation",
    ),
    path("p/<slug:slug>/releases/<int:n>/public/", views.publication, name="publication"),
    path("p/<slug:slug>/releases/<int:n>/public/errata/<int:number>/", views.erratum_done, name="erratum_done"),
]
