"""Endpoints of the site, and what a project may spend on them."""

from django.urls import path

from annotation.generation.views import endpoints

ONE = "endpoints/<int:endpoint_id>/"

urlpatterns = [
    path("endpoints/", endpoints.endpoints, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint_new, name="endpoint_new"),
    path(ONE, endpoints.endpoint, name="endpoint"),
    path(f"{ONE}try/", endpoints.endpoint_try, name="endpoint_try"),
    path(f"{ONE}ending/", endpoints.endpoint_ending, name="endpoint_ending"),
    path("p/<slug:slug>/machine/limits/", endpoints.machine_limit, name="machine_limit"),
]
