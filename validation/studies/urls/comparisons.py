"""Choosing a generator: the room of those who compare, and the comparisons that leads begin and read."""

from django.urls import path

from validation.studies.views import compare, comparisons

urlpatterns = [
    path("p/<slug:slug>/compare/", compare.compare_page, name="compare"),
    path("p/<slug:slug>/compare/<str:token>/", compare.compare_send, name="compare_send"),
    path("p/<slug:slug>/comparisons/", comparisons.comparisons, name="comparisons"),
    path("p/<slug:slug>/comparisons/<int:n>/", comparisons.comparison, name="comparison"),
    path("p/<slug:slug>/comparisons/<int:n>/end/", comparisons.comparison_over, name="comparison_end"),
    path(
        "p/<slug:slug>/comparisons/<int:n>/rates.csv", comparisons.comparison_rates, name="comparison_rates"
    ),
    path(
        "p/<slug:slug>/comparisons/<int:n>/preferences.csv",
        comparisons.comparison_rows,
        name="comparison_rows",
    ),
]
