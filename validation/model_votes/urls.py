"""Where a model's votes are read."""

from django.urls import path

from validation.model_votes import views

urlpatterns = [
    path("p/<slug:slug>/model/votes/", views.model_votes, name="model_votes"),
    path("p/<slug:slug>/model/votes/ask/", views.model_votes_begin, name="model_votes_begin"),
]
