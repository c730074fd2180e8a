"""Concepts of a project: the list, one concept, and how they come in."""

from django.urls import path

from annotation.concepts import views

urlpatterns = [
    path("p/<slug:slug>/concepts/", views.concepts, name="concepts"),
    path("p/<slug:slug>/concepts/propose/", views.concepts_propose, name="concepts_propose"),
    path("p/<slug:slug>/concepts/add/", views.concepts_add, name="concepts_add"),
    path("p/<slug:slug>/concepts/take/", views.concepts_take, name="concepts_take"),
    path("p/<slug:slug>/concepts/<int:concept_id>/", views.concept, name="concept"),
    path("p/<slug:slug>/concepts/<int:concept_id>/review/", views.concept_review, name="concept_review"),
]
