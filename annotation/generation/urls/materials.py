"""What machine-written questions start from: the list, and how it comes in."""

from django.urls import path

from annotation.generation.views import materials as views

HERE = "p/<slug:slug>/materials/"

urlpatterns = [
    path(HERE, views.material_list, name="materials"),
    path(f"{HERE}concepts/", views.materials_concepts, name="materials_concepts"),
    path(f"{HERE}items/", views.materials_items, name="materials_items"),
    path(f"{HERE}files/", views.materials_file, name="materials_file"),
    path(f"{HERE}files/<int:import_id>/", views.materials_report, name="materials_report"),
]
