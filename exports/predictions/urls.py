"""Predictions of models for a release, and the public page of their results."""

from django.urls import path

from exports.predictions import api, views

_PAGE, _API = (
    "p/<slug:slug>/releases/<int:n>/predictions",
    "api/v1/projects/<slug:slug>/releases/<int:n>/predictions",
)
urlpatterns = [
    path(f"{_PAGE}/", views.predictions_page, name="predictions"),
    path(f"{_PAGE}/leaderboard/", views.leaderboard_change, name="leaderboard_change"),
    path(f"{_PAGE}/<int:number>/", views.prediction, name="prediction"),
    path(f"{_PAGE}/<int:number>/figures.csv", views.prediction_file, name="prediction_file"),
    path(f"{_PAGE}/<int:number>/withdraw/", views.prediction_withdraw, name="prediction_withdraw"),
    path("leaderboards/<slug:slug>/<int:n>/", views.leaderboard, name="leaderboard"),
    path(
        "api/v1/projects/<slug:slug>/releases/<int:n>:leaderboard",
        api.LeaderboardSet.as_view(),
        name="api_leaderboard",
    ),
    path(_API, api.PredictionsList.as_view(), name="api_predictions"),
    path(f"{_API}/<int:number>", api.PredictionsView.as_view(), name="api_prediction"),
    path(f"{_API}/<int:number>:withdraw", api.PredictionsWithdraw.as_view(), name="api_prediction_withdraw"),
]
