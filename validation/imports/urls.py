"""Taking files in, and its outcome."""

from django.urls import path

from validation.imports import api, document_views, views

urlpatterns = [
    path("p/<slug:slug>/import/", views.imports, name="imports"),
    path("p/<slug:slug>/import/documents/", document_views.documents, name="documents"),
    path(
        "p/<slug:slug>/import/documents/<int:import_id>/",
        document_views.documents_page,
        name="documents_page",
    ),
    path(
        "p/<slug:slug>/import/documents/<int:import_id>/snippets.jsonl",
        document_views.documents_file,
        name="documents_file",
    ),
    path("p/<slug:slug>/import/<int:import_id>/", views.import_page, name="import_page"),
    path("p/<slug:slug>/import/<int:import_id>/start/", views.import_begin, name="import_start"),
    path("p/<slug:slug>/import/<int:import_id>/cancel/", views.import_cancel, name="import_cancel"),
    path("p/<slug:slug>/import/<int:import_id>/refused.csv", views.import_refused, name="import_refused"),
    path("api/v1/projects/<slug:slug>/imports", api.Imports.as_view(), name="api_imports"),
    path("api/v1/projects/<slug:slug>/imports/<int:import_id>", api.ImportView.as_view(), name="api_import"),
    path(
        "api/v1/projects/<slug:slug>/imports/<int:import_id>:start",
        api.ImportStart.as_view(),
        name="api_import_start",
    ),
    path(
        "api/v1/projects/<slug:slug>/imports/<int:import_id>:cancel",
        api.ImportCancel.as_view(),
        name="api_import_cancel",
    ),
    path(
        "api/v1/projects/<slug:slug>/imports/<int:import_id>/refused",
        api.ImportRefused.as_view(),
        name="api_import_refused",
    ),
    path("api/v1/projects/<slug:slug>/jobs", api.Jobs.as_view(), name="api_jobs"),
    path("api/v1/jobs/<int:job_id>", api.JobView.as_view(), name="api_job"),
    path("api/v1/projects/<slug:slug>/sources", api.Sources.as_view(), name="api_sources"),
    path("api/v1/projects/<slug:slug>/sources:batch", api.SourcesBatch.as_view(), name="api_sources_batch"),
    path("api/v1/projects/<slug:slug>/items:batch", api.ItemsBatch.as_view(), name="api_items_batch"),
]
