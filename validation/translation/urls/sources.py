"""Source sets: the list, one set, one unit with its clean-up."""

from django.urls import path

from validation.translation.views import source_units, sources

urlpatterns = [
    path("p/<slug:slug>/sources/", sources.source_sets, name="source_sets"),
    path("p/<slug:slug>/sources/sets/<slug:key>/", sources.source_set, name="source_set"),
    path(
        "p/<slug:slug>/sources/sets/<slug:key>/clean-up.csv",
        sources.source_counts_csv,
        name="source_counts_csv",
    ),
    path("p/<slug:slug>/sources/sets/<slug:key>/freeze/", sources.source_freeze, name="source_freeze"),
    path("p/<slug:slug>/sources/units/<int:unit_id>/", source_units.source_unit, name="source_unit"),
    path("p/<slug:slug>/sources/units/<int:unit_id>/clean/", source_units.source_clean, name="source_clean"),
    path("p/<slug:slug>/sources/units/<int:unit_id>/undo/", source_units.source_undo, name="source_undo"),
]
