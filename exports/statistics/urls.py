"""The tables of a release, for a paper."""

from django.urls import path

from exports.statistics import api, views

_API = "api/v1/projects/<slug:slug>/releases/<int:n>/statistics"
_PAGE = "p/<slug:slug>/releases/<int:n>/statistics"
urlpatterns = [
    path(f"{_PAGE}/", views.statistics_page, name="statistics"),
    path(f"{_PAGE}/<slug:table>.csv", views.statistics_csv, name="statistics_csv"),
    path(f"{_PAGE}/<slug:table>.tex", views.statistics_latex, name="statistics_latex"),
    path(_API, api.ReleaseStatisticsView.as_view(), name="api_statistics"),
    path(f"{_API}:compute", api.ReleaseStatisticsCompute.as_view(), name="api_statistics_compute"),
]
