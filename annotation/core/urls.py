"""Invitation links, guidelines, new projects and their settings."""

from django.urls import path

from annotation.core.views import (
    audit,
    guidelines,
    how_to,
    invitations,
    languages,
    offline,
    projects,
    second_factor,
)

urlpatterns = [
    path("sw.js", offline.service_worker, name="service_worker"),
    path("manifest.webmanifest", offline.manifest, name="manifest"),
    path("offline/", offline.offline, name="offline"),
    path("how-to/", how_to.how_to, name="how_to"),
    path("language/", languages.language_switch, name="set_language"),
    path("invitations/refused/", invitations.invitation_refused, name="invitation_refused"),
    path("invitations/<str:token>/", invitations.invitation, name="invitation"),
    path("p/<slug:slug>/guidelines/", guidelines.guidelines, name="guidelines"),
    path("p/<slug:slug>/guidelines/<slug:role>/read/", guidelines.guidelines_mark, name="guidelines_read"),
    path(
        "p/<slug:slug>/guidelines/<slug:role>/versions/",
        guidelines.guidelines_versions,
        name="guidelines_versions",
    ),
    path("p/<slug:slug>/guidelines/<slug:role>/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path("second-factor/", second_factor.second_factor, name="second_factor"),
    path("audit/", audit.audit_log, name="audit_log"),
    path("audit/events.csv", audit.audit_file, name="audit_file"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("p/<slug:slug>/settings/", projects.settings, name="settings"),
    path("p/<slug:slug>/settings/protocol/", projects.settings_protocol, name="settings_protocol"),
    path("p/<slug:slug>/settings/closing/", projects.settings_closing, name="settings_closing"),
]
