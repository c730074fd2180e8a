"""Source sets with their clean-up, targets, and who works for which."""

from django.urls import path

from validation.translation import api, api_sources
from validation.translation.views import source_units, sources, targets

TARGET = "api/v1/projects/<slug:slug>/targets/<slug:key>"
SETS = "api/v1/projects/<slug:slug>/source-sets"
UNIT = "api/v1/projects/<slug:slug>/source-units/<int:unit_id>"

urlpatterns = [
    path("p/<slug:slug>/targets/", targets.targets, name="targets"),
    path("p/<slug:slug>/targets/new/", targets.target_new, name="target_new"),
    path("p/<slug:slug>/targets/on/<slug:key>/", targets.target, name="target"),
    path("p/<slug:slug>/targets/on/<slug:key>/change/", targets.target_change, name="target_change"),
    path("p/<slug:slug>/targets/on/<slug:key>/end/", targets.target_closing, name="target_end"),
    path("p/<slug:slug>/targets/on/<slug:key>/recheck/", targets.target_recheck, name="target_recheck"),
    path("p/<slug:slug>/people/<int:annotator_id>/targets/", targets.people_targets, name="people_targets"),
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
    path("api/v1/projects/<slug:slug>/targets", api.Targets.as_view(), name="api_targets"),
    path(f"{TARGET}:change", api.TargetChange.as_view(), name="api_target_change"),
    path(f"{TARGET}:end", api.TargetEnd.as_view(), name="api_target_end"),
    path(f"{TARGET}:recheck", api.TargetRecheck.as_view(), name="api_target_recheck"),
    path(f"{TARGET}:take", api.TargetTake.as_view(), name="api_target_take"),
    path(SETS, api_sources.SourceSets.as_view(), name="api_source_sets"),
    path(f"{SETS}/<slug:key>", api_sources.SourceSetView.as_view(), name="api_source_set"),
    path(f"{SETS}/<slug:key>:freeze", api_sources.SourceSetFreeze.as_view(), name="api_source_set_freeze"),
    path(f"{SETS}/<slug:key>/units", api_sources.SourceSetUnits.as_view(), name="api_source_units"),
    path(UNIT, api_sources.SourceUnitView.as_view(), name="api_source_unit"),
    path(f"{UNIT}:clean", api_sources.SourceUnitClean.as_view(), name="api_source_unit_clean"),
    path(f"{UNIT}:undo", api_sources.SourceUnitUndo.as_view(), name="api_source_unit_undo"),
]
