"""Questions to the leads."""

from django.urls import path

from validation.questions import api, views

THREADS = "api/v1/projects/<slug:slug>/questions"

urlpatterns = [
    path("p/<slug:slug>/questions/", views.questions, name="questions"),
    path("p/<slug:slug>/questions/<int:question_id>/", views.question, name="question"),
    path("p/<slug:slug>/questions/<int:question_id>/publish/", views.question_publish, name="question_publish"),
    path(THREADS, api.Questions.as_view(), name="api_questions"),
    path(f"{THREADS}:answered", api.Answers.as_view(), name="api_answers"),
    path(f"{THREADS}/<int:question_id>", api.QuestionView.as_view(), name="api_question"),
    path(f"{THREADS}/<int:question_id>:reply", api.QuestionReply.as_view(), name="api_question_reply"),
    path(f"{THREADS}/<int:question_id>:publish", api.QuestionPublish.as_view(), name="api_question_publish"),
]
