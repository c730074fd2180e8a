"""Pages of tokens and documentation; the resources that belong to no project."""

from django.urls import path

from annotation.api import me, pages

urlpatterns = [
    path("me/tokens/", pages.my_tokens, name="my_tokens"),
    path("me/sessions/end/", pages.my_sessions_end, name="my_sessions_end"),
    path("me/tokens/<int:token_id>/revoke/", pages.my_token_revoke, name="my_token_revoke"),
    path("api/docs/", pages.docs, name="api_docs"),
    path("api/v1/openapi.json", pages.schema, name="api_schema"),
    path("api/v1/me", me.Me.as_view(), name="api_me"),
    path("api/v1/tokens", me.Tokens.as_view(), name="api_tokens"),
    path("api/v1/tokens/<int:token_id>:revoke", me.TokenRevoke.as_view(), name="api_token_revoke"),
]
