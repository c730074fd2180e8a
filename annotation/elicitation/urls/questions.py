"""What groups are asked before anybody writes."""

from django.urls import path

from annotation.elicitation.views import questions as views

urlpatterns = [
    path("p/<slug:slug>/elicitation/", views.elicitation, name="elicitation"),
    path(
        "p/<slug:slug>/elicitation/sessions/<int:session_id>/",
        views.elicitation_session,
        name="elicitation_session",
    ),
    path("p/<slug:slug>/elicitation/seed/", views.elicitation_seed, name="elicitation_seed"),
    path("p/<slug:slug>/elicitation/add/", views.elicitation_add, name="elicitation_add"),
    path("p/<slug:slug>/elicitation/<int:question_id>/", views.elicitation_change, name="elicitation_change"),
    path(
        "p/<slug:slug>/elicitation/<int:question_id>/retire/",
        views.elicitation_retire,
        name="elicitation_retire",
    ),
    path(
        "p/<slug:slug>/elicitation/<int:question_id>/answer/",
        views.elicitation_answer,
        name="elicitation_answer",
    ),
    path(
        "p/<slug:slug>/elicitation/answers/<int:answer_id>/",
        views.elicitation_answer_change,
        name="elicitation_answer_change",
    ),
]
