"""Webhooks of a project."""

from django.urls import path

from annotation.webhooks import views

urlpatterns = [
    path("p/<slug:slug>/webhooks/", views.webhooks, name="webhooks"),
    path("p/<slug:slug>/webhooks/<int:webhook_id>/", views.webhook, name="webhook"),
    path("p/<slug:slug>/webhooks/<int:webhook_id>/change/", views.webhook_change, name="webhook_change"),
]
