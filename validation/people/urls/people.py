"""The people of a project."""

from django.urls import path

from validation.people.views import people as views

urlpatterns = [
    path("p/<slug:slug>/people/", views.people, name="people"),
    path("p/<slug:slug>/people/invite/", views.people_invite, name="people_invite"),
    path("p/<slug:slug>/people/share/", views.people_allocate, name="people_allocate"),
    path(
        "p/<slug:slug>/people/invitations/<int:invitation_id>/revoke/",
        views.people_revoke,
        name="people_revoke",
    ),
    path("p/<slug:slug>/people/<int:annotator_id>/roles/", views.people_roles, name="people_roles"),
    path("p/<slug:slug>/people/<int:annotator_id>/remove/", views.people_remove, name="people_remove"),
    path(
        "p/<slug:slug>/people/<int:annotator_id>/hand-over/",
        views.people_hand_over,
        name="people_hand_over",
    ),
]
