"""Group review of prompts, and the page for a projector."""

from django.urls import path

from validation.group_review import views as views

urlpatterns = [
    path("p/<slug:slug>/review-group/<int:session_id>/", views.group, name="group"),
    path(
        "p/<slug:slug>/review-group/<int:session_id>/<int:item_id>/", views.group_prompt, name="group_prompt"
    ),
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
]
