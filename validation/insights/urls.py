"""Insights, conflicts of writers with answerers, the validation report of prompts; for leads."""

from django.urls import path

from validation.insights import api
from validation.insights.views import best_choice as chosen
from validation.insights.views import conflicts
from validation.insights.views import insights as views

urlpatterns = [
    path("p/<slug:slug>/conflicts/", conflicts.conflicts, name="conflicts"),
    path("p/<slug:slug>/conflicts/items/", conflicts.conflict_items, name="conflict_items"),
    path("p/<slug:slug>/conflicts/conflicts.csv", conflicts.conflicts_file, name="conflicts_file"),
    path("p/<slug:slug>/conflicts/agreement.csv", conflicts.agreement_file, name="agreement_file"),
    path("p/<slug:slug>/validation/", chosen.validation, name="validation"),
    path("p/<slug:slug>/validation/validation.csv", chosen.validation_file, name="validation_file"),
    path("p/<slug:slug>/insights/", views.insights, name="insights"),
    path("p/<slug:slug>/insights/compute/", views.insights_compute, name="insights_compute"),
    path("p/<slug:slug>/insights/<slug:name>/", views.insight, name="insight"),
    path("p/<slug:slug>/insights/<slug:name>/<slug:table>.csv", views.insight_file, name="insight_file"),
    path("p/<slug:slug>/insights/<slug:name>/<slug:table>.tex", views.insight_latex, name="insight_latex"),
    path("api/v1/projects/<slug:slug>/insights", api.Insights.as_view(), name="api_insights"),
    path(
        "api/v1/projects/<slug:slug>/insights:compute",
        api.InsightsCompute.as_view(),
        name="api_insights_compute",
    ),
    path("api/v1/projects/<slug:slug>/insights/<slug:name>", api.InsightView.as_view(), name="api_insight"),
]
