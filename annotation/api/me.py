"""`me` and `tokens`: the person of a request, the token, and the projects of the person."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import rules
from annotation.api.authentication import signed_in_recently
from annotation.api.models import ApiToken, ApiTokenQuerySet
from annotation.api.tokens import token_create, token_revoke, tokens_of
from annotation.api.views import READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.actions.members import ROLE_NAMES
from annotation.core.errors import Forbidden, first_or_not_found


def roles_of(membership: access.Membership) -> list[str]:
    """What somebody is in a project, by the names of roles."""
    return [name for name in ROLE_NAMES if getattr(membership, f"is_{name}")]


class TokenRow(Row):
    """A token, without its secret. `projects` is null where it is for all of its owner's."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(rules.SCOPES))
    projects = serializers.ListField(child=serializers.CharField(), allow_null=True)
    at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class PlaceRow(Row):
    """A project that somebody belongs to, and as what."""

    slug = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")
    roles = serializers.SerializerMethodField()
    pseudonym = serializers.CharField(source="annotator.pseudonym", default=None, allow_null=True)

    def get_roles(self, place: access.Membership) -> list[str]:
        """In the order of roles."""
        return roles_of(place)


class MeRow(Row):
    """Whoever asks; `token` is null in a browser."""

    email = serializers.EmailField()
    name = serializers.CharField()
    administrator = serializers.BooleanField()
    token = TokenRow(allow_null=True)
    projects = PlaceRow(many=True)


class TokenIn(Body):
    """A token to be made: for these projects by slug, or for all of one's own (null)."""

    name = serializers.CharField(max_length=rules.LONGEST_NAME)
    scopes = serializers.ListField(child=serializers.ChoiceField(rules.SCOPES), allow_empty=False)
    projects = serializers.ListField(
        child=serializers.CharField(max_length=60), allow_null=True, default=None, max_length=1000
    )
    days = serializers.IntegerField(min_value=1, max_value=rules.MOST_DAYS, default=rules.DEFAULT_DAYS)


class TokenMade(TokenRow):
    """A new token. `token` is shown only this once."""

    token = serializers.CharField()


class Me(ApiView):
    """Whoever asks."""

    @operation(scopes=rules.SCOPES, gives=MeRow)
    def get(self, request: Request) -> Response:
        """Show who asks, with which token, and their projects."""
        places = [place for place in access.memberships(self.user) if self.token_covers(place.project.slug)]
        user = self.user
        about: dict[str, Any] = {"email": user.email, "name": user.name, "projects": places}
        return self.row_response({**about, "administrator": user.is_administrator, "token": self.token})


class Tokens(ApiView):
    """One's own tokens."""

    @operation(scopes=[READ], gives=TokenRow, paged=True, since=("at", "used_at", "revoked_at"))
    def get(self, request: Request) -> Response:
        """List one's own tokens, those that stopped working too. A token lists only itself."""
        return self.page_response(reachable_tokens(self))

    @operation(scopes=(), takes=TokenIn, gives=TokenMade, status=201)
    def post(self, request: Request) -> Response:
        """Make a token. Only in a browser, within five minutes of giving one's password: no token makes another."""
        if self.token is not None or not signed_in_recently(request._request, self.user):
            raise Forbidden(code="token_by_session")
        made = token_create(user=self.user, **self.validated_body())
        return self.row_response({**TokenRow(made.token).data, "token": made.text}, status=201)


def reachable_tokens(view: ApiView) -> ApiTokenQuerySet:
    """The tokens that a request may see and revoke: in a browser one's own, with a token only itself."""
    tokens = tokens_of(view.user)
    return tokens if view.token is None else tokens.filter(pk=view.token.pk)


class TokenRevoke(ApiView):
    """One of one's own tokens; of a token only itself."""

    @operation(scopes=rules.SCOPES, gives=TokenRow)
    def post(self, request: Request, token_id: int) -> Response:
        """Have a token stop working, at once. A token can revoke only itself."""
        first_or_not_found(reachable_tokens(self).filter(pk=token_id))
        token_revoke(user=self.user, token_id=token_id)
        return self.row_response(ApiToken.objects.get(pk=token_id))
