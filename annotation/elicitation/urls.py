"""Group questions, sessions and topics of cultural prompts."""

from django.urls import path

from annotation.elicitation import api, api_topics
from annotation.elicitation.views import questions

API = "api/v1/projects/<slug:slug>/"
QUESTIONS = f"{API}group-questions"

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
    path(f"{API}sessions", api.Sessions.as_view(), name="api_sessions"),
    path(QUESTIONS, api.GroupQuestions.as_view(), name="api_group_questions"),
    path(f"{QUESTIONS}:seed", api.GroupQuestionsSeed.as_view(), name="api_group_questions_seed"),
    path(
        f"{QUESTIONS}/<int:question_id>:change",
        api.GroupQuestionChange.as_view(),
        name="api_group_question_change",
    ),
    path(
        f"{QUESTIONS}/<int:question_id>:retire",
        api.GroupQuestionRetire.as_view(),
        name="api_group_question_retire",
    ),
    path(
        f"{QUESTIONS}/<int:question_id>:answer",
        api.GroupQuestionAnswer.as_view(),
        name="api_group_question_answer",
    ),
    path(
        f"{API}group-answers/<int:answer_id>:change",
        api.GroupAnswerChange.as_view(),
        name="api_group_answer_change",
    ),
    path(f"{API}topics", api_topics.Topics.as_view(), name="api_topics"),
    path(f"{API}topics/<int:concept_id>:begin", api_topics.TopicBegin.as_view(), name="api_topic_begin"),
    path(f"{API}second-look", api_topics.SecondLook.as_view(), name="api_second_look"),
    path(f"{API}second-look/<path:key>:save", api_topics.SecondLookSave.as_view(), name="api_second_look_save"),
    path(f"{API}second-look:standing", api_topics.SecondLooks.as_view(), name="api_second_looks"),
]
