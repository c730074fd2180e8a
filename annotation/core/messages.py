"""Texts for people, by code: what happened, and what to do. Every code has its text here."""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.answers import problems as answer_problems
from annotation.core import problems
from annotation.core.api_problems import API_PROBLEMS
from annotation.core.machine_problems import MACHINE_PROBLEMS
from annotation.core.public_problems import PUBLIC_PROBLEMS
from annotation.core.quality_problems import QUALITY_PROBLEMS
from annotation.core.sign_in_problems import SIGN_IN_PROBLEMS
from annotation.kinds import Kind, Slot
from annotation.text.checks import Finding

PROBLEMS: Mapping[str, str] = {
    **problems.PROBLEMS,
    **API_PROBLEMS,
    **PUBLIC_PROBLEMS,
    **QUALITY_PROBLEMS,
    **SIGN_IN_PROBLEMS,
    **answer_problems.PROBLEMS,
    **MACHINE_PROBLEMS,
}
PASS_REASONS: Mapping[str, str] = {
    "not-my-field": _("I do not know enough about it"),
    "cannot-read": _("I cannot make sense of the text"),
    "offensive": _("It offends me or does harm"),
    "know-the-writer": _("I know who wrote it"),
    "other": _("Another reason"),
}
# The codes are stored with what was skipped; a kind may have other words for some.
SKIP_REASONS: Mapping[str, str] = {
    "not-understood": _("I do not understand the text"),
    "not-my-field": _("I do not know enough about it"),
    "broken": _("The text is broken or in another language"),
    "too-little": _("It says too little to write from"),
    "offensive": _("It offends me or does harm"),
    "other": _("Another reason"),
}
EVENTS: Mapping[str, str] = {
    "project_created": _("made the project"),
    "media_sent": _("sent images or sounds"),
    "media_removed": _("removed images or sounds that nothing showed"),
    "task_published": _("published a new version of the task"),
    "guideline_note": _("noted a frequent error in the writing guidelines"),
    "question_published": _("published an answer in the guidelines"),
    "settings": _("changed settings"),
    "webhook_created": _("entered a webhook"),
    "webhook_rotated": _("gave a webhook a new secret"),
    "webhook_stopped": _("stopped a webhook"),
    "webhook_started": _("started a webhook again"),
    "webhook_ended": _("ended a webhook"),
    "webhook_tried": _("sent a test message to a webhook"),
    "delivery_replayed": _("had a message sent again to a webhook"),
    "rests_ended": _("offered to validators at once what rested before voting"),
    "project_closed": _("closed the project"),
    "project_reopened": _("opened the project again"),
    "invited": _("invited somebody"),
    "invitation_revoked": _("withdrew an invitation"),
    "roles": _("changed somebody's roles"),
    "no_part": _("signed that they took no part in what they judge"),
    "study_created": _("drew a study"),
    "target_created": _("named a target"),
    "target_rechecked": _("had the translations of a target checked again"),
    "target_changed": _("changed a target"),
    "target_ended": _("ended a target"),
    "target_reopened": _("opened a target again"),
    "targets": _("changed what somebody works for"),
    "region": _("entered somebody's region"),
    "handed_over": _("handed over what somebody had to write for"),
    "votes_set_aside": _("set all votes of somebody aside"),
    "votes_set_back": _("let votes count again that were set aside"),
    "gold_added": _("added a gold question"),
    "gold_retired": _("took a gold question out"),
    "quiz_item_retired": _("took an item out of the quiz"),
    "quiz_waived": _("let somebody in without the quiz"),
    "paused": _("paused somebody"),
    "pause_decided": _("decided on somebody's pause"),
    "left": _("took somebody out of the project, or left it"),
    "import": _("took a file in"),
    "documents": _("drew snippets from documents"),
    "user_created": _("made an account"),
    "user_activated": _("let somebody in again"),
    "user_deactivated": _("shut somebody out"),
    "account_deleted": _("deleted their account"),
    "pay_asked": _("asked for the approval of their pay when they deleted their account"),
    "pay_waived": _("waived their unapproved pay when they deleted their account"),
    "groups_applied": _("signed in with other groups, and roles changed"),
    "password_changed": _("changed their password"),
    "address_changed": _("changed their e-mail address"),
    "second_factor_on": _("switched two-step sign-in on"),
    "second_factor_off": _("switched two-step sign-in off"),
    "recovery_codes_made": _("made new recovery codes"),
    "passkey_added": _("added a passkey"),
    "passkey_removed": _("removed a passkey"),
    "institution_connected": _("connected an account to the institution"),
    "institution_disconnected": _("disconnected an account from the institution"),
    "token_created": _("made an API token"),
    "token_revoked": _("revoked an API token"),
    "limit_set": _("set what may be spent on endpoints"),
    "endpoint_created": _("entered an endpoint"),
    "endpoint_changed": _("changed an endpoint"),
    "endpoint_ended": _("ended an endpoint"),
    "endpoint_tried": _("tried an endpoint"),
    "endpoint_opened": _("took an endpoint into use again"),
    "sets_imported": _("took question sets in from ConceptNet"),
    "materials_of_concepts": _("took the approved concepts for questions by a machine"),
    "materials_of_items": _("took questions of another project over, to be translated"),
    "questions_imported": _("took finished questions in, to be adapted"),
    "run_created": _("started a run of machine-written questions"),
    "run_went_on": _("went on with a run of machine-written questions"),
    "run_paused": _("paused a run of machine-written questions"),
    "run_stopped": _("had to pause a run of machine-written questions"),
    "run_resumed": _("resumed a run of machine-written questions"),
    "run_cancelled": _("cancelled a run of machine-written questions"),
    "instruction_saved": _("changed an instruction of machine-written questions"),
    "source_set_made": _("made a source set"),
    "source_set_frozen": _("froze a source set, so that translation begins"),
    "about_changed": _("changed what releases tell of the project"),
    "task_prompt_saved": _("changed a prompt that releases bring for a task"),
    "task_prompt_ended": _("ended a prompt: releases bring it no more"),
    "consent_published": _("published a new text that members agree to"),
    "entry_confirmed": _("confirmed the entry conditions"),
    "concepts_added": _("added concepts"),
    "concept_proposed": _("proposed a concept"),
    "concept_approved": _("approved a concept"),
    "concept_returned": _("returned a concept"),
    "concept_changed": _("changed a concept"),
    "concepts_taken_over": _("took concepts over from another project"),
    "elicitation_seeded": _("took over questions for groups"),
    "elicitation_added": _("added a question for groups"),
    "elicitation_changed": _("changed a question for groups"),
    "elicitation_retired": _("took a question for groups out"),
    "elicitation_asked_again": _("asks a question of groups again"),
    "elicitation_answer_changed": _("changed an answer of a group"),
    "release_frozen": _("froze a release"),
    "release_signed": _("signed a release"),
    "signing_key_made": _("made a key that signs releases"),
    "release_replaced": _("replaced a release by a version without withdrawn rows"),
    "files_withdrawn": _("withdrew the public files of a release"),
    "consent_withdrawn": _("withdrew their consent to take part"),
    "release_downloaded": _("downloaded a release's file"),
    "predictions_added": _("had a model's predictions scored"),
    "predictions_withdrawn": _("withdrew a model's predictions"),
    "leaderboard_opened": _("showed the results of models to everybody"),
    "leaderboard_closed": _("showed the results of models to everybody no more"),
    "release_opened": _("opened the public page of a release"),
    "release_closed": _("closed the public page of a release"),
    "erratum_reported": _("reported an error in a release"),
    "erratum_answered": _("answered a report of an error"),
    "erratum_hidden": _("hid a report of an error"),
    "rate_set": _("set a rate of pay"),
    "pay_approved": _("approved pay"),
    "pay_paid": _("said that pay was sent"),
    "pay_not_paid": _("said that pay was not sent after all"),
    "pay_reversed": _("took back an entry of pay"),
}
UNKNOWN_PROBLEM = _("That was not possible. Nothing you typed is lost; load the page again and look before you send.")


def problem_words(code: str) -> str:
    """What went wrong and how to correct it."""
    return gettext(PROBLEMS.get(code, UNKNOWN_PROBLEM))


def skip_words(kind: Kind) -> Mapping[str, str]:
    """Why a writer of this kind may skip what they were given to write from."""
    return {**SKIP_REASONS, **kind.source.skip_reasons}


def event_words(verb: str) -> str:
    """What somebody did, for the list of who changed what."""
    return gettext(EVENTS[verb]) if verb in EVENTS else verb


def slot_words(kind: Kind, slot: Slot) -> str:
    """A slot's name in the reader's language: its label's name, and the number that the kind gave it."""
    label = kind.question.label(slot.label)
    return slot.name.replace(label.name, gettext(label.name), 1) if label else gettext(slot.name)


def finding_words(finding: Finding, kind: Kind, slots: Mapping[str, Slot]) -> str:
    """What a check says; labels, slots and choices among its parameters are called by their names."""
    params = dict(finding.params)
    label = kind.question.label(str(params.get("label", "")))
    if label is not None:
        params["label"] = gettext(label.name)
    other = slots.get(str(params.get("other", "")))
    if other is not None:
        params["other"] = slot_words(kind, other)
    for name in ("option", "other_option", "place"):
        option = kind.question.label(str(params.get(name, "")))
        if option is not None:
            params[name] = option.letter
    words = gettext(finding.message) % params
    if "option" in params and "%(option)s" not in finding.message:
        # What is said of any text, here of a choice.
        return gettext("Choice %(option)s: %(words)s") % {"option": params["option"], "words": words}
    return words
