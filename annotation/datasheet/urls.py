"""A project's statements about itself, and its members' statements about themselves."""

from django.urls import path

from annotation.datasheet import api
from annotation.datasheet import views as about
from annotation.datasheet import views as my_about

urlpatterns = [
    path("p/<slug:slug>/about/", about.about, name="about"),
    path("p/<slug:slug>/about/consent/", about.about_consent, name="about_consent"),
    path("p/<slug:slug>/entry/", my_about.entry, name="entry"),
    path("me/about/<slug:slug>/", my_about.my_about, name="my_about"),
    path("me/about/<slug:slug>/consent/", my_about.my_consent, name="my_consent"),
    path("api/v1/projects/<slug:slug>/about", api.AboutView.as_view(), name="api_about"),
    path("api/v1/projects/<slug:slug>/consent-versions", api.ConsentVersions.as_view(), name="api_consents"),
]
