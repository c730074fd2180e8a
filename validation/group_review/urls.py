"""Group review of prompts, and the page for a projector."""

from django.urls import path

from validation.group_review import api, views

SESSION_PATH = "api/v1/projects/<slug:slug>/sessions/<int:session_id>"
SUGGESTION_PATH = f"{SESSION_PATH}/suggestions/<int:suggestion_id>"

urlpatterns = [
    path("p/<slug:slug>/review-group/<int:session_id>/", views.group, name="group"),
    path("p/<slug:slug>/review-group/<int:session_id>/<int:item_id>/", views.group_prompt, name="group_prompt"),
    path(
        "p/<slug:slug>/review-group/<int:session_id>/<int:item_id>/propose/",
        views.group_suggest,
        name="group_suggest",
    ),
    path(
        "p/<slug:slug>/review-group/<int:session_id>/proposals/<int:suggestion_id>/<str:act>/",
        views.group_act,
        name="group_act",
    ),
    path("p/<slug:slug>/show/<int:session_id>/", views.show, name="show"),
    path(f"{SESSION_PATH}/prompts", api.GroupPrompts.as_view(), name="api_group_prompts"),
    path(f"{SESSION_PATH}/suggestions", api.Suggestions.as_view(), name="api_suggestions"),
    path(f"{SUGGESTION_PATH}:remark", api.SuggestionRemark.as_view(), name="api_suggestion_remark"),
    path(f"{SUGGESTION_PATH}:take-back", api.SuggestionTakeBack.as_view(), name="api_suggestion_take_back"),
    path(f"{SUGGESTION_PATH}:accept", api.SuggestionAccept.as_view(), name="api_suggestion_accept"),
    path(f"{SUGGESTION_PATH}:decline", api.SuggestionDecline.as_view(), name="api_suggestion_decline"),
]
