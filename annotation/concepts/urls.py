"""Concepts of a project: the list, one concept, and how they come in."""

from django.urls import path

from annotation.concepts import api, views

API = "api/v1/projects/<slug:slug>/concepts"
ONE = f"{API}/<int:concept_id>"

urlpatterns = [
    path("p/<slug:slug>/concepts/", views.concepts, name="concepts"),
    path("p/<slug:slug>/concepts/propose/", views.concepts_propose, name="concepts_propose"),
    path("p/<slug:slug>/concepts/add/", views.concepts_add, name="concepts_add"),
    path("p/<slug:slug>/concepts/take/", views.concepts_take, name="concepts_take"),
    path("p/<slug:slug>/concepts/<int:concept_id>/", views.concept, name="concept"),
    path("p/<slug:slug>/concepts/<int:concept_id>/review/", views.concept_review, name="concept_review"),
    path(API, api.Concepts.as_view(), name="api_concepts"),
    path(f"{API}:propose", api.ConceptsPropose.as_view(), name="api_concepts_propose"),
    path(f"{API}:add", api.ConceptsAdd.as_view(), name="api_concepts_add"),
    path(f"{API}:take-over", api.ConceptsTakeOver.as_view(), name="api_concepts_take_over"),
    path(ONE, api.ConceptView.as_view(), name="api_concept"),
    path(f"{ONE}:change", api.ConceptChange.as_view(), name="api_concept_change"),
    path(f"{ONE}:approve", api.ConceptApprove.as_view(), name="api_concept_approve"),
    path(f"{ONE}:return", api.ConceptReturn.as_view(), name="api_concept_return"),
]
