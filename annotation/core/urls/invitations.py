"""Addresses of invitation links."""

from django.urls import path

from annotation.core.views import invitations as views

urlpatterns = [
    path("invitations/refused/", views.invitation_refused, name="invitation_refused"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
]
