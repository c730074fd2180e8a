"""Questions to the leads."""

from django.urls import path

from validation.questions import views

urlpatterns = [
    path("p/<slug:slug>/questions/", views.questions, name="questions"),
    path("p/<slug:slug>/questions/<int:question_id>/", views.question, name="question"),
    path(
        "p/<slug:slug>/questions/<int:question_id>/publish/", views.question_publish, name="question_publish"
    ),
]
