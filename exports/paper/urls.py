"""The report: a paper's tables in one go."""

from django.urls import path

from exports.paper import api, views

urlpatterns = [
    path("p/<slug:slug>/report/", views.report, name="report"),
    path("p/<slug:slug>/report/report.zip", views.report_archive, name="report_archive"),
    path("api/v1/projects/<slug:slug>/report", api.Report.as_view(), name="api_report"),
]
