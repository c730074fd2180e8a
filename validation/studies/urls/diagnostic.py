"""Diagnostic sets: those that leads draw and read, and the room of the experts who go through their tags."""

from django.urls import path

from validation.studies.views import diagnostic, tags

urlpatterns = [
    path("p/<slug:slug>/diagnostic/", diagnostic.diagnostic_sets, name="diagnostic_sets"),
    path("p/<slug:slug>/diagnostic/<int:n>/", diagnostic.diagnostic_set, name="diagnostic_set"),
    path("p/<slug:slug>/diagnostic/<int:n>/experts/", diagnostic.diagnostic_deal, name="diagnostic_deal"),
    path(
        "p/<slug:slug>/diagnostic/<int:n>/counts.csv", diagnostic.diagnostic_counts, name="diagnostic_counts"
    ),
    path("p/<slug:slug>/diagnostic/<int:n>/rows.csv", diagnostic.diagnostic_rows, name="diagnostic_rows"),
    path("p/<slug:slug>/tags/", tags.tags, name="tags"),
    path("p/<slug:slug>/tags/<str:token>/", tags.tags_row, name="tags_row"),
]
