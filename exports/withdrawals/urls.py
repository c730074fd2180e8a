"""Withdrawals: one's own, and versions of releases without what was withdrawn."""

from django.urls import path

from exports.withdrawals import api, views

RELEASE = "api/v1/projects/<slug:slug>/releases/<int:n>"
urlpatterns = [
    path("me/about/<slug:slug>/withdraw/", views.my_withdrawal, name="my_withdrawal"),
    path("p/<slug:slug>/releases/<int:n>/replace/", views.release_replace, name="release_replace"),
    path(f"{RELEASE}:replace", api.ReleaseReplace.as_view(), name="api_release_replace"),
    path(f"{RELEASE}:replace-preview", api.ReleaseReplacePreview.as_view(), name="api_release_replace_preview"),
    path("api/v1/projects/<slug:slug>/withdrawals", api.Withdrawals.as_view(), name="api_withdrawals"),
]
