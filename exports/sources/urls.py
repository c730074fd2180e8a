"""New source sets: they are taken from files, projects and releases, so their pages stand with releases."""

from django.urls import path

from exports.sources import views as sources

urlpatterns = [
    path("p/<slug:slug>/sources/new/", sources.source_set_new, name="source_set_new"),
    path("p/<slug:slug>/sources/in/<int:import_id>/", sources.source_in, name="source_in"),
    path("p/<slug:slug>/sources/in/<int:import_id>/begin/", sources.source_begin, name="source_begin"),
]
