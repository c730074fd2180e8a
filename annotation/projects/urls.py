"""Invitation links, guidelines, new projects and their settings, the audit log."""

from django.urls import path

from annotation.projects.views import audit, guidelines, invitations, projects

urlpatterns = [
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
    path("audit/", audit.audit_log, name="audit_log"),
    path("audit/events.csv", audit.audit_file, name="audit_file"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("p/<slug:slug>/settings/", projects.settings, name="settings"),
    path("p/<slug:slug>/settings/protocol/", projects.settings_protocol, name="settings_protocol"),
    path("p/<slug:slug>/settings/closing/", projects.settings_closing, name="settings_closing"),
]
