"""Refusals of the REST API and webhooks in addition to those of pages, and how to fix them, by code."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

API_PROBLEMS: Mapping[str, str] = {
    "not_authenticated": _(
        "Send a token: “Authorization: Bearer muf_…”. Create one under Account → Sessions and tokens."
    ),
    "token_wrong": _(
        "This token does not work: it is unknown, revoked or over. Create a new one under Account, Sessions and tokens."
    ),
    "csrf": _("A browser sends the form's token (CSRF) beside its session; a script sends an API token instead."),
    "bad_request": _("The server cannot read this request. Look at its address, headers and body."),
    "fault": _("Something failed here. It was logged; send it again, and tell an administrator the X-Request-ID."),
    "body_too_large": _("A body as large as this needs a token that works."),
    "not_found": _("There is no such thing, or it is not yours."),
    "forbidden": _("Your roles in this project do not include this."),
    "scope_missing": _("This token's scopes do not include this. Use another token, or make one."),
    "method_not_allowed": _("This address does not take this method. Look it up under /api/docs/."),
    "media_type_wrong": _(
        "Send JSON, with “Content-Type: application/json”, or what /api/docs/ says for this address."
    ),
    "body_unreadable": _("The body is no JSON that can be read. Correct it, then send again."),
    "too_many_requests": _("Too many requests in a short time. Wait as long as “Retry-After” says, then send again."),
    "unavailable": _("The server is busy, and nothing was stored. Send the same again in a few seconds."),
    "token_of_some_projects": _("This belongs to no project: use a token that is not limited to some."),
    "concept_text_alone": _("Whoever proposed a concept changes its text alone; a lead changes the rest."),
    "fields_unknown": _("There is no such field. Look it up under /api/docs/."),
    "idempotency_key_wrong": _("An Idempotency-Key has 1 to 200 printable ASCII characters."),
    "idempotency_key_reused": _(
        "This Idempotency-Key came with another request before. Use a new one for a new request."
    ),
    "batch_too_large": _("A batch has at most 64 MiB. Send the rows in several batches."),
    "batch_not_items": _(
        "These rows are no items: a column is missing that makes them whole. See the import page for columns."
    ),
    "batch_not_sources": _("These rows are finished items: send them to items:batch."),
    "file_missing": _("Send the file as “file” of a form (multipart/form-data)."),
    "release_rule_wrong": _("This cannot be a rule of a release."),
    "release_holds_nothing": _(
        "By these rules no item would be in the release. Change the rules, then look at the preview."
    ),
    "release_unconfirmed": _(
        "Something has to be confirmed first: look at “asks” of the preview, then send it as true."
    ),
    "protocol_wrong": _("This cannot be a protocol."),
    "setting_unknown": _("There is no such setting in this project."),
    "slot_field_unknown": _("The form of this item has no such field. Look at “written” of the item."),
    "tag_unknown": _("There is no such tag. Look at the page of the item for those that there are."),
    "notices_all_projects": _("Notices are of all projects: use a token that is not limited to some."),
    "question_about_one": _("A question is about one thing: give assignment, item or role."),
    "question_unknown": _("This is not asked here. Answer the questions of the card, by their keys."),
    "label_not_asked": _("The card asks questions: send “answers” in place of “label”."),
    "answers_nested": _("An answer is not nested as deep as this. Look it up in docs/api.md."),
    "task_or_preset": _("A project is made from a preset, or from a task: give one of them."),
    "token_name_missing": _("Give the token a name, so that you know later what uses it."),
    "token_scopes_wrong": _("Choose what the token may do."),
    "token_days_wrong": _("A token works for 1 to 365 days."),
    "token_projects_wrong": _("Choose projects that you belong to, or none for all of them."),
    "tokens_too_many": _(
        "You have ten tokens that work. Revoke one that nothing uses any more, then make the new one."
    ),
    "token_by_session": _(
        "Tokens are created in a browser, under Account, Sessions and tokens, after you entered your password again."
    ),
    "sign_in_again": _("Sign out and sign in again, then create the token within five minutes."),
    "voting_lead_reads_singly": _(
        "You lead and vote here, so votes and gold are not read all at once. Read single items: you are not asked "
        "about those."
    ),
    # webhooks
    "webhook_types_wrong": _("Choose at least one type of event of the list."),
    "webhooks_too_many": _("A project can have at most ten webhooks. End one that is not needed any more."),
    "webhook_address_unlike": _("A webhook cannot have this address. Give it as https://host/path, without ? and #."),
    "webhook_address_not_https": _(
        "A webhook needs an https address. The person who runs this site can allow your own host without it."
    ),
    "webhook_address_with_user": _(
        "An address has no user name and no password in it. Receivers know our messages by their signature."
    ),
    "webhook_address_host": _("This host cannot be. Write its name, or its number as four numbers or in brackets."),
    "webhook_address_port": _(
        "Webhooks cannot use this port. Use 443, or ask the person who runs this site to allow it."
    ),
    "webhook_address_private": _(
        "This host is in a private or reserved network. "
        "The person who runs this site can allow it (ENDPOINT_HOSTS_ALLOWED)."
    ),
    "webhook_address_taken": _(
        "The project already has a webhook for this address. Change that webhook, or end it first."
    ),
    "webhook_over": _("This webhook was ended. Enter its address again."),
    "webhook_is_stopped": _("This webhook is stopped. Start it again first."),
}
