"""Topics, group questions, sessions and the second pass of cultural prompts."""

from django.urls import path

from annotation.elicitation.views import prompts, questions

urlpatterns = [
    path("p/<slug:slug>/sessions/", questions.sessions, name="sessions"),
    path("p/<slug:slug>/elicitation/", questions.elicitation, name="elicitation"),
    path(
        "p/<slug:slug>/elicitation/sessions/<int:session_id>/",
        questions.elicitation_session,
        name="elicitation_session",
    ),
    path("p/<slug:slug>/elicitation/seed/", questions.elicitation_seed, name="elicitation_seed"),
    path("p/<slug:slug>/elicitation/add/", questions.elicitation_add, name="elicitation_add"),
    path(
        "p/<slug:slug>/elicitation/<int:question_id>/",
        questions.elicitation_change,
        name="elicitation_change",
    ),
    path(
        "p/<slug:slug>/elicitation/<int:question_id>/retire/",
        questions.elicitation_retire,
        name="elicitation_retire",
    ),
    path(
        "p/<slug:slug>/elicitation/<int:question_id>/answer/",
        questions.elicitation_answer,
        name="elicitation_answer",
    ),
    path(
        "p/<slug:slug>/elicitation/answers/<int:answer_id>/",
        questions.elicitation_answer_change,
        name="elicitation_answer_change",
    ),
    path("p/<slug:slug>/topics/", prompts.topics, name="topics"),
    path("p/<slug:slug>/topics/<int:concept_id>/new/", prompts.topic_begin, name="topic_begin"),
    path("p/<slug:slug>/topics/vary/<int:item_id>/", prompts.topic_vary, name="topic_vary"),
    path("p/<slug:slug>/second-look/", prompts.second_look, name="second_look"),
    path("p/<slug:slug>/second-look/table/", prompts.second_looks, name="second_looks"),
    path("p/<slug:slug>/second-look/<int:item_id>/", prompts.second_look_save, name="second_look_save"),
]
