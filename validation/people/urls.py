"""The people of a project, and one's own record."""

from django.urls import path

from validation.people import api
from validation.people.views import invite_many, me, people

MEMBER = "api/v1/projects/<slug:slug>/members/<int:annotator_id>"

urlpatterns = [
    path("me/", me.my_record, name="my_record"),
    path("me/data.json", me.my_data, name="my_data"),
    path("me/settings/", me.my_settings, name="my_settings"),
    path("me/delete/", me.my_deletion, name="my_deletion"),
    path("p/<slug:slug>/people/", people.people, name="people"),
    path("p/<slug:slug>/people/invite-many/", invite_many.people_invite_many, name="people_invite_many"),
    path("p/<slug:slug>/people/invite/", people.people_invite, name="people_invite"),
    path("p/<slug:slug>/people/share/", people.people_allocate, name="people_allocate"),
    path(
        "p/<slug:slug>/people/invitations/<int:invitation_id>/revoke/",
        people.people_revoke,
        name="people_revoke",
    ),
    path("p/<slug:slug>/people/<int:annotator_id>/roles/", people.people_roles, name="people_roles"),
    path("p/<slug:slug>/people/<int:annotator_id>/remove/", people.people_remove, name="people_remove"),
    path(
        "p/<slug:slug>/people/<int:annotator_id>/hand-over/",
        people.people_hand_over,
        name="people_hand_over",
    ),
    path("p/<slug:slug>/me/region/", people.my_region, name="my_region"),
    path("p/<slug:slug>/people/<int:annotator_id>/region/", people.people_region, name="people_region"),
    path("api/v1/projects/<slug:slug>/members", api.Members.as_view(), name="api_members"),
    path(
        "api/v1/projects/<slug:slug>/members/<int:annotator_id>:roles",
        api.MemberRoles.as_view(),
        name="api_member_roles",
    ),
    path(
        "api/v1/projects/<slug:slug>/members/<int:annotator_id>:end",
        api.MemberEnd.as_view(),
        name="api_member_end",
    ),
    path(f"{MEMBER}:hand-over", api.MemberHandOver.as_view(), name="api_member_hand_over"),
    path(f"{MEMBER}:region", api.MemberRegion.as_view(), name="api_member_region"),
    path(f"{MEMBER}:targets", api.MemberTargets.as_view(), name="api_member_targets"),
    path(
        "api/v1/projects/<slug:slug>/sources:allocate",
        api.SourcesAllocate.as_view(),
        name="api_sources_allocate",
    ),
    path("api/v1/projects/<slug:slug>/invitations", api.Invitations.as_view(), name="api_invitations"),
    path(
        "api/v1/projects/<slug:slug>/invitations/<int:invitation_id>:revoke",
        api.InvitationRevoke.as_view(),
        name="api_invitation_revoke",
    ),
]
