"""New projects, and their settings."""

from django.urls import path

from annotation.core.views import projects as views

urlpatterns = [
    path("projects/new/", views.project_new, name="project_new"),
    path("p/<slug:slug>/settings/", views.settings, name="settings"),
    path("p/<slug:slug>/settings/protocol/", views.settings_protocol, name="settings_protocol"),
    path("p/<slug:slug>/settings/closing/", views.settings_closing, name="settings_closing"),
]
