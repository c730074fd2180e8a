"""New source sets: they are made from files, projects and releases, so their pages are in this app."""

from django.urls import path

from exports.sources import api
from exports.sources import views as sources

API = "api/v1/projects/<slug:slug>/"
IMPORT_PATH = f"{API}source-imports/<int:import_id>"

urlpatterns = [
    path("p/<slug:slug>/sources/new/", sources.source_set_new, name="source_set_new"),
    path("p/<slug:slug>/sources/in/<int:import_id>/", sources.source_in, name="source_in"),
    path("p/<slug:slug>/sources/in/<int:import_id>/begin/", sources.source_begin, name="source_begin"),
    path(f"{API}source-sets:from-file", api.SourceSetsOfFile.as_view(), name="api_source_sets_file"),
    path(f"{API}source-sets:from-project", api.SourceSetsOfProject.as_view(), name="api_source_sets_project"),
    path(IMPORT_PATH, api.SourceImport.as_view(), name="api_source_import"),
    path(f"{IMPORT_PATH}:start", api.SourceImportStart.as_view(), name="api_source_import_start"),
    path(f"{IMPORT_PATH}:cancel", api.SourceImportCancel.as_view(), name="api_source_import_cancel"),
]
