"""Who answers otherwise than the writer, what validators of prompts chose, the region of who answers."""

from django.urls import path

from validation.insights.views import best_choice as chosen
from validation.insights.views import conflicts
from validation.people.views import region

urlpatterns = [
    path("p/<slug:slug>/conflicts/", conflicts.conflicts, name="conflicts"),
    path("p/<slug:slug>/conflicts/items/", conflicts.conflict_items, name="conflict_items"),
    path("p/<slug:slug>/conflicts/conflicts.csv", conflicts.conflicts_file, name="conflicts_file"),
    path("p/<slug:slug>/conflicts/agreement.csv", conflicts.agreement_file, name="agreement_file"),
    path("p/<slug:slug>/validation/", chosen.validation, name="validation"),
    path("p/<slug:slug>/validation/validation.csv", chosen.validation_file, name="validation_file"),
    path("p/<slug:slug>/me/region/", region.my_region, name="my_region"),
    path("p/<slug:slug>/people/<int:annotator_id>/region/", region.people_region, name="people_region"),
]
