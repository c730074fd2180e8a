"""Sessions of a project."""

from django.urls import path

from annotation.elicitation.views import sessions as views

urlpatterns = [path("p/<slug:slug>/sessions/", views.sessions, name="sessions")]
