"""Where a model's votes are read."""

from django.urls import path

from validation.model_votes import api, views

API = "api/v1/projects/<slug:slug>/model-votes"

urlpatterns = [
    path("p/<slug:slug>/model/votes/", views.model_votes, name="model_votes"),
    path("p/<slug:slug>/model/votes/ask/", views.model_votes_begin, name="model_votes_begin"),
    path(API, api.ModelVotes.as_view(), name="api_model_votes"),
    path(f"{API}:compare", api.ModelVotesCompared.as_view(), name="api_model_votes_compare"),
    path(f"{API}:ask", api.ModelVotesAsk.as_view(), name="api_model_votes_ask"),
]
