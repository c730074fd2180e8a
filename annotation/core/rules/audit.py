"""The content of the audit log: administrative acts by area. Writing, voting and reviews are recorded elsewhere."""

from annotation.text.gettext import gettext_noop as _

AREAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "people": (
        _("People and roles"),
        (
            "user_created",
            "user_activated",
            "user_deactivated",
            "account_deleted",
            "consent_withdrawn",
            "invited",
            "invitation_revoked",
            "roles",
            "groups_applied",
            "left",
            "handed_over",
            "targets",
            "paused",
            "pause_decided",
            "quiz_waived",
            "votes_set_aside",
            "votes_set_back",
        ),
    ),
    "sign-in": (
        _("Sign-in"),
        (
            "password_changed",
            "address_changed",
            "second_factor_on",
            "second_factor_off",
            "recovery_codes_made",
            "passkey_added",
            "passkey_removed",
            "institution_connected",
            "institution_disconnected",
        ),
    ),
    "connections": (
        _("Tokens, webhooks, endpoints"),
        (
            "token_created",
            "token_revoked",
            "webhook_created",
            "webhook_rotated",
            "webhook_stopped",
            "webhook_started",
            "webhook_ended",
            "webhook_tried",
            "delivery_replayed",
            "endpoint_created",
            "endpoint_changed",
            "endpoint_ended",
            "endpoint_tried",
            "endpoint_opened",
            "limit_set",
        ),
    ),
    "settings": (
        _("Projects and settings"),
        (
            "project_created",
            "project_closed",
            "project_reopened",
            "settings",
            "task_published",
            "consent_published",
            "about_changed",
            "target_created",
            "target_changed",
            "target_ended",
            "target_reopened",
            "study_created",
            "rate_set",
            "pay_approved",
            "pay_paid",
            "pay_not_paid",
            "pay_reversed",
            "pay_asked",
            "pay_waived",
        ),
    ),
    "files": (
        _("Imports, releases, downloads"),
        (
            "import",
            "release_frozen",
            "release_signed",
            "signing_key_made",
            "release_replaced",
            "files_withdrawn",
            "release_downloaded",
            "predictions_added",
            "predictions_withdrawn",
            "leaderboard_opened",
            "release_opened",
            "release_closed",
            "leaderboard_closed",
        ),
    ),
}
# The e-mails of allauth to the owner of an account, and the act that each reports.
VERB_OF_NOTICE = {
    "account/email/password_changed": "password_changed",
    "account/email/password_set": "password_changed",
    "account/email/password_reset": "password_changed",
    "account/email/email_changed": "address_changed",
    "mfa/email/totp_activated": "second_factor_on",
    "mfa/email/totp_deactivated": "second_factor_off",
    "mfa/email/recovery_codes_generated": "recovery_codes_made",
    "mfa/email/webauthn_added": "passkey_added",
    "mfa/email/webauthn_removed": "passkey_removed",
    "socialaccount/email/account_connected": "institution_connected",
    "socialaccount/email/account_disconnected": "institution_disconnected",
}


def verbs_of(area: str) -> list[str]:
    """The acts of an area, or of all where there is no such."""
    chosen = [AREAS[area]] if area in AREAS else AREAS.values()
    return [verb for _name, verbs in chosen for verb in verbs]
