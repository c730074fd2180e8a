"""Where a set is weak while it is being made, for leads and administrators."""

from django.urls import path

from validation.insights.views import insights as views

urlpatterns = [
    path("p/<slug:slug>/insights/", views.insights, name="insights"),
    path("p/<slug:slug>/insights/compute/", views.insights_compute, name="insights_compute"),
    path("p/<slug:slug>/insights/<slug:name>/", views.insight, name="insight"),
    path("p/<slug:slug>/insights/<slug:name>/<slug:table>.csv", views.insight_file, name="insight_file"),
]
