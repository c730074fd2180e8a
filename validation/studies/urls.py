"""Side studies: the rooms of those who rate, compare or go through tags, and the pages of leads."""

from django.urls import path

from validation.studies.views import (
    compare,
    comparisons,
    diagnostic,
    label_checks,
    rate,
    ratings,
    tags,
)

P = "p/<slug:slug>"
urlpatterns = [
    path(f"{P}/diagnostic/", diagnostic.diagnostic_sets, name="diagnostic_sets"),
    path(f"{P}/diagnostic/<int:n>/", diagnostic.diagnostic_set, name="diagnostic_set"),
    path(f"{P}/diagnostic/<int:n>/experts/", diagnostic.diagnostic_deal, name="diagnostic_deal"),
    path(f"{P}/diagnostic/<int:n>/counts.csv", diagnostic.diagnostic_counts, name="diagnostic_counts"),
    path(f"{P}/diagnostic/<int:n>/rows.csv", diagnostic.diagnostic_rows, name="diagnostic_rows"),
    path(f"{P}/tags/", tags.tags, name="tags"),
    path(f"{P}/tags/<str:token>/", tags.tags_row, name="tags_row"),
    path(f"{P}/rate/", rate.rate_page, name="rate"),
    path(f"{P}/rate/back/", rate.rate_back, name="rate_back"),
    path(f"{P}/rate/<str:token>/", rate.rate_send, name="rate_send"),
    path(f"{P}/ratings/", ratings.ratings, name="ratings"),
    path(f"{P}/ratings/<int:run_id>/", ratings.rating_run, name="rating_run"),
    path(f"{P}/ratings/<int:run_id>/change/", ratings.rating_change, name="rating_change"),
    path(f"{P}/ratings/<int:run_id>/outputs/", ratings.rating_outputs, name="rating_outputs"),
    path(f"{P}/ratings/<int:run_id>/open/", ratings.rating_open, name="rating_open"),
    path(f"{P}/ratings/<int:run_id>/close/", ratings.rating_close, name="rating_close"),
    path(f"{P}/ratings/<int:run_id>/counts.csv", ratings.rating_counts, name="rating_counts"),
    path(f"{P}/ratings/<int:run_id>/ratings.csv", ratings.rating_rows, name="rating_rows"),
    path(f"{P}/compare/", compare.compare_page, name="compare"),
    path(f"{P}/compare/<str:token>/", compare.compare_send, name="compare_send"),
    path(f"{P}/comparisons/", comparisons.comparisons, name="comparisons"),
    path(f"{P}/comparisons/<int:n>/", comparisons.comparison, name="comparison"),
    path(f"{P}/comparisons/<int:n>/end/", comparisons.comparison_over, name="comparison_end"),
    path(f"{P}/comparisons/<int:n>/rates.csv", comparisons.comparison_rates, name="comparison_rates"),
    path(f"{P}/comparisons/<int:n>/preferences.csv", comparisons.comparison_rows, name="comparison_rows"),
    path(f"{P}/labels/", label_checks.label_checks, name="label_checks"),
    path(f"{P}/labels/<int:check_id>/", label_checks.label_check, name="label_check"),
    path(f"{P}/labels/<int:check_id>/labels.csv", label_checks.label_check_file, name="label_check_file"),
]
