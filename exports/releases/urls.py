"""Releases of a project."""

from django.urls import path

from exports.releases import api, views

urlpatterns = [
    path("p/<slug:slug>/releases/", views.release_list, name="releases"),
    path("p/<slug:slug>/releases/new/", views.release_new, name="release_new"),
    path("p/<slug:slug>/releases/<int:n>/", views.release_page, name="release"),
    path("p/<slug:slug>/releases/<int:n>/files/<path:name>", views.release_file, name="release_file"),
    path("api/v1/projects/<slug:slug>/releases", api.Releases.as_view(), name="api_releases"),
    path(
        "api/v1/projects/<slug:slug>/releases:preview",
        api.ReleasesPreview.as_view(),
        name="api_releases_preview",
    ),
    path("api/v1/projects/<slug:slug>/releases/<int:n>", api.ReleaseView.as_view(), name="api_release"),
    path(
        "api/v1/projects/<slug:slug>/releases/<int:n>/files/<path:name>",
        api.ReleaseFileView.as_view(),
        name="api_release_file",
    ),
]
