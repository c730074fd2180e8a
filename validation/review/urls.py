"""The review desk, items, and what came back to writers."""

from django.urls import path

from validation.review.views import corrected, desk, item, machine_errors, returned
from validation.review.views import error_counts as errors

urlpatterns = [
    path("p/<slug:slug>/desk/", desk.desk, name="desk"),
    path("p/<slug:slug>/items/", desk.items, name="items"),
    path("p/<slug:slug>/items/<int:item_id>/", item.item, name="item"),
    path("p/<slug:slug>/items/<int:item_id>/<str:act>/", item.item_act, name="item_act"),
    path("p/<slug:slug>/errors/", errors.errors, name="errors"),
    path("p/<slug:slug>/errors/errors.csv", errors.errors_file, name="errors_file"),
    path("p/<slug:slug>/errors/machine/", machine_errors.machine_errors, name="machine_errors"),
    path("p/<slug:slug>/errors/machine.csv", machine_errors.machine_errors_file, name="machine_errors_file"),
    path("p/<slug:slug>/errors/note/", errors.errors_note, name="errors_note"),
    path("p/<slug:slug>/returned/", returned.returned, name="returned"),
    path("p/<slug:slug>/returned/<int:item_id>/", returned.returned_item, name="returned_item"),
    path("p/<slug:slug>/corrected/", corrected.corrected, name="corrected"),
    path("p/<slug:slug>/corrected/<int:item_id>/", corrected.corrected_answer, name="corrected_answer"),
]
