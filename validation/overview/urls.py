"""Home, the project page, and where people vote."""

from django.urls import path

from validation.overview import api
from validation.overview.views import home, project
from validation.voting import api as work
from validation.voting import api_audits
from validation.voting.views import cards_ahead, vote

urlpatterns = [
    path("", home.home, name="home"),
    path("p/<slug:slug>/", project.project_page, name="project"),
    path("p/<slug:slug>/open/", project.project_open, name="project_open"),
    path("p/<slug:slug>/vote/", vote.vote_page, name="vote"),
    path("p/<slug:slug>/ahead/", cards_ahead.vote_ahead, name="vote_ahead"),
    path("p/<slug:slug>/ahead/return/", cards_ahead.vote_ahead_return, name="vote_ahead_return"),
    path("p/<slug:slug>/vote/next/", cards_ahead.vote_next, name="vote_next"),
    path("p/<slug:slug>/vote/next/<str:token>/return/", cards_ahead.vote_next_return, name="vote_next_return"),
    path("p/<slug:slug>/vote/sign/", vote.vote_sign, name="vote_sign"),
    path("p/<slug:slug>/vote/back/", vote.vote_back, name="vote_back"),
    path("p/<slug:slug>/vote/<str:token>/", vote.vote_send, name="vote_send"),
    path("p/<slug:slug>/vote/<str:token>/pass/", vote.vote_pass, name="vote_pass"),
    path("p/<slug:slug>/vote/<str:token>/stay/", vote.vote_stay, name="vote_stay"),
    path("api/v1/projects", api.Projects.as_view(), name="api_projects"),
    path("api/v1/projects/<slug:slug>", api.ProjectView.as_view(), name="api_project"),
    path("api/v1/projects/<slug:slug>:close", api.ProjectClosing.as_view(), name="api_project_close"),
    path("api/v1/projects/<slug:slug>/items:open", api.ItemsOpening.as_view(), name="api_items_open"),
    path("api/v1/projects/<slug:slug>/settings", api.ProjectSettingsView.as_view(), name="api_settings"),
    path("api/v1/projects/<slug:slug>/protocol-versions", api.ProtocolVersions.as_view(), name="api_protocols"),
    path(
        "api/v1/projects/<slug:slug>/guideline-versions",
        api.GuidelineVersions.as_view(),
        name="api_guidelines",
    ),
    path(
        "api/v1/projects/<slug:slug>/guideline-versions:read",
        api.GuidelinesRead.as_view(),
        name="api_guidelines_read",
    ),
    path("api/v1/projects/<slug:slug>/work:next", work.WorkNext.as_view(), name="api_work_next"),
    path("api/v1/projects/<slug:slug>/work:undo", work.WorkUndo.as_view(), name="api_work_undo"),
    path(
        "api/v1/projects/<slug:slug>/assignments/<str:token>/vote",
        work.AssignmentVote.as_view(),
        name="api_vote",
    ),
    path(
        "api/v1/projects/<slug:slug>/assignments/<str:token>:skip",
        work.AssignmentSkip.as_view(),
        name="api_vote_skip",
    ),
    path(
        "api/v1/projects/<slug:slug>/assignments/<str:token>:stay",
        work.AssignmentStay.as_view(),
        name="api_vote_stay",
    ),
    path("api/v1/projects/<slug:slug>/audits", api_audits.AuditList.as_view(), name="api_audits"),
    path(
        "api/v1/projects/<slug:slug>/audits/<int:n>/steps",
        api_audits.AuditSteps.as_view(),
        name="api_audit_steps",
    ),
]
