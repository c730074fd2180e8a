"""Rating what models wrote: the raters' room, and the runs that leads prepare."""

from django.urls import path

from validation.studies.views import rate, ratings

urlpatterns = [
    path("p/<slug:slug>/rate/", rate.rate_page, name="rate"),
    path("p/<slug:slug>/rate/back/", rate.rate_back, name="rate_back"),
    path("p/<slug:slug>/rate/<str:token>/", rate.rate_send, name="rate_send"),
    path("p/<slug:slug>/ratings/", ratings.ratings, name="ratings"),
    path("p/<slug:slug>/ratings/<int:run_id>/", ratings.rating_run, name="rating_run"),
    path("p/<slug:slug>/ratings/<int:run_id>/change/", ratings.rating_change, name="rating_change"),
    path("p/<slug:slug>/ratings/<int:run_id>/outputs/", ratings.rating_outputs, name="rating_outputs"),
    path("p/<slug:slug>/ratings/<int:run_id>/open/", ratings.rating_open, name="rating_open"),
    path("p/<slug:slug>/ratings/<int:run_id>/close/", ratings.rating_close, name="rating_close"),
    path("p/<slug:slug>/ratings/<int:run_id>/counts.csv", ratings.rating_counts, name="rating_counts"),
    path("p/<slug:slug>/ratings/<int:run_id>/ratings.csv", ratings.rating_rows, name="rating_rows"),
]
