"""Events and webhooks of a project, on pages and over the API."""

from django.urls import path

from annotation.webhooks import api, views

PROJECT = "api/v1/projects/<slug:slug>/"
ONE = f"{PROJECT}webhooks/<int:webhook_id>"
urlpatterns = [
    path("p/<slug:slug>/webhooks/", views.webhooks, name="webhooks"),
    path("p/<slug:slug>/webhooks/<int:webhook_id>/", views.webhook, name="webhook"),
    path("p/<slug:slug>/webhooks/<int:webhook_id>/change/", views.webhook_change, name="webhook_change"),
    path(f"{PROJECT}events", api.Events.as_view(), name="api_events"),
    path(f"{PROJECT}webhooks", api.Webhooks.as_view(), name="api_webhooks"),
    path(f"{ONE}:rotate", api.WebhookRotate.as_view(), name="api_webhook_rotate"),
    path(f"{ONE}:end", api.WebhookEnd.as_view(), name="api_webhook_end"),
    path(f"{ONE}:<slug:act>", api.WebhookAct.as_view(), name="api_webhook_act"),
    path(f"{ONE}/deliveries", api.Deliveries.as_view(), name="api_deliveries"),
    path(f"{ONE}/deliveries/<int:delivery_id>:replay", api.DeliveryReplay.as_view(), name="api_delivery_replay"),
]
