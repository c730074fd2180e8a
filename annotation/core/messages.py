"""What is said to people where a code comes back: what happened, and what to do. Every code has its words here."""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.core.account_messages import ACCOUNT_PROBLEMS
from annotation.core.study_messages import BASELINE_EVENTS, BASELINE_PROBLEMS
from annotation.datasheet.messages import ABOUT_EVENTS, ABOUT_PROBLEMS
from annotation.generation.messages import MACHINE_EVENTS, MACHINE_PROBLEMS
from annotation.kinds import Kind, Slot
from annotation.text.checks import Finding
from annotation.translation.messages import SOURCE_EVENTS, SOURCE_PROBLEMS

PROBLEMS: Mapping[str, str] = {
    **ACCOUNT_PROBLEMS,
    # writing
    "checks_block": _(
        "Not submitted yet: the lines marked below have to be mended first. Everything is saved."
    ),
    "checks_block_one": _("Not saved yet: the lines marked below have to be mended first."),
    "draft_newer": _(
        "A newer text was saved in another tab or on another device. Both are shown below: choose one, then send again."
    ),
    "allocation_over": _(
        "This set is no longer open: it was submitted, skipped, or went back to the pool. What you typed is still "
        "shown here; copy what you want to keep."
    ),
    "closed_writing": _(
        "This project is closed, so nothing more is saved here. Copy what you want to keep from the fields below."
    ),
    "text_not_storable": _(
        "This text cannot be stored: it is too long or holds a character that is no text. Shorten it, or type it anew."
    ),
    "slot_unknown": _("This field is not part of the set any more. Load the page again."),
    "reason_missing": _("Please choose a reason first."),
    "validation_began": _(
        "A QC lead has dealt with this one, or voting on it has begun, so its text stays as it is."
    ),
    "stale": _(
        "It was changed in the meantime. The current text is shown below yours; look at both, then send again."
    ),
    "prompt_id_taken": _(
        "There is a prompt with this user, context, personal situation and instruction already. Change one of them, "
        "then send again."
    ),
    "prompt_numbers_up": _("All numbers for this part of a prompt are taken. Reuse a text that is there."),
    "key_unlike": _(
        "The number of this prompt says whether it has a user and a personal situation, and that cannot change. Make a "
        "variation instead."
    ),
    "origin_excluded": _("This prompt is left out by now, so no variation of it is made."),
    "look_words_missing": _("Please say what is missing where you do not tick it."),
    "second_look_missing": _("No writer has gone through this text. Tick that you approve it all the same."),
    # voting
    "label_unknown": _("Please choose an answer first."),
    "proposal_unknown": _(
        "A proposed correction cannot be empty. Write the whole corrected text, or leave it as it was."
    ),
    "reason_missing_marked": _(
        "You marked something as ambiguous: please say why, in the reason below. Everything else is kept."
    ),
    "correction_missing": _(
        "You chose to correct it, but no text differs from the one above. Change what is wrong, or choose otherwise."
    ),
    "approval_corrects": _(
        "You approve it and have changed a text. Choose Correct, or put the text back as it was above."
    ),
    "approval_says_more": _(
        "An approval says nothing else. If something is wrong, correct it or send it back; otherwise empty your words."
    ),
    "return_corrects": _(
        "You send it back and have changed a text. Choose Correct, or put the text back as it was above."
    ),
    "return_reason_missing": _(
        "Please tell the translator what is wrong, in the words below. Everything else is kept."
    ),
    "not_your_target": _(
        "You do not work for this target any more, so your answer was not counted. What you typed is still below."
    ),
    "reviewed_meanwhile": _(
        "Another reviewer has dealt with it meanwhile, so your answer was not needed. What you typed is still below."
    ),
    "correction_over": _(
        "The text has changed meanwhile, or you have answered already. What you typed is still below."
    ),
    "took_part": _(
        "You took part in making or reviewing this prompt or one that belongs to it, so your answer was not counted. "
        "Here is the next one."
    ),
    "no_part_missing": _("Please tick that you took no part first."),
    "assignment_taken": _(
        "This one was no longer open to you, so your answer was not counted. What you typed stands below; here is "
        "the next."
    ),
    "assignment_over": _("This one was no longer open to you. Here is the next."),
    "vote_differs": _(
        "You had answered this one already, and the first answer stands. What you typed now is kept below; here is "
        "the next."
    ),
    "project_closed": _(
        "The project was closed meanwhile, so your answer was not counted. What you typed stands below."
    ),
    "nothing_to_take_back": _("There is nothing that can be taken back now."),
    # rating
    "criteria_unanswered": _(
        "Please answer every criterion with yes or no; those without an answer are marked."
    ),
    "rating_differs": _(
        "You had rated this one already, and your first answers stand. What you said now is kept below; here is the "
        "next."
    ),
    "rating_closed": _(
        "This rating was closed meanwhile, so your answers were not stored. What you said stands below."
    ),
    "rating_name_wrong": _("Give it a name of at most 120 characters."),
    "rating_name_taken": _("There is a rating with this name already. Choose another."),
    "rating_sample_wrong": _("Give a whole number of prompts, from 1 to 1,000."),
    "rating_stale": _(
        "Somebody changed this rating in the meantime. Nothing was saved; what you typed is below, what stands now "
        "beside it."
    ),
    "rating_opened": _(
        "This rating was opened meanwhile, so its criteria, sample and outputs stay as they are."
    ),
    "rating_not_open": _("This rating was not opened yet, so there is nothing to close."),
    "rating_project_closed": _("The project is closed, so nothing is rated here."),
    "raters_few": _("At least three raters are needed. Invite them, or give members that role."),
    "rater_wrong": _(
        "Somebody you chose is no rater here any more. Look at who is left, then open it again."
    ),
    # reviewing
    "stale_item": _(
        "Something happened to this item after you opened it; it is listed below. What you typed is kept: look "
        "again, then send it once more."
    ),
    "not_from_here": _("The item is in another stage now, where this cannot be done."),
    "still_sent_back": _(
        "The votes of its reviewers would send it back again. Void the vote that does, then it is asked about anew."
    ),
    "still_ambiguous": _(
        "Its votes would exclude it again at once. Settle it yourself, return it to its writer, or correct it with a "
        "new meaning first."
    ),
    "error_unknown": _("This project has no such error type."),
    "words_missing": _("Please say why, in a few words."),
    "text_missing": _("The text cannot be empty."),
    "text_same": _("The text is the same as before. Change it, or leave the item as it is."),
    "meaning_missing": _("Please say whether it still means the same: votes depend on it."),
    "error_type_missing": _("Please choose what is wrong."),
    "label_missing": _("Please choose the label that is right."),
    "no_writer": _(
        "Nobody can mend this one: it was imported, or its writer has left. Correct it yourself, or exclude it."
    ),
    "own_item": _("You wrote this one, so another QC lead looks at it."),
    "proposal_over": _("This proposal was decided meanwhile."),
    "vote_gone": _("This vote does not count any more."),
    # people and projects
    "roles_missing": _("Choose at least one role."),
    "roles_exclude": _(
        "In one project nobody can both lead and vote or rate, whoever led before does neither, nor do administrators."
    ),
    "roles_stale": _(
        "Somebody changed these roles in the meantime. Nothing was saved; look at what stands now, then save again."
    ),
    "made_what_is_judged": _(
        "This person translated, reviewed or led what is judged here. Ask somebody who had no part in it."
    ),
    "judges_what_is_made": _(
        "This person judges the labels of these translations in a label check. Choose somebody else."
    ),
    "made_what_is_answered": _(
        "This person belongs, or belonged, to the project whose release is evaluated here. Ask somebody who had no "
        "part in it."
    ),
    "answers_what_is_made": _(
        "This person answers the questions of this project’s release in an evaluation. Choose somebody else."
    ),
    "label_check_people": _("Between 1 and 9 people judge each row. Give a number in between."),
    "label_check_no_labels": _(
        "The rows of this source set carry no label that people vote on. Choose pairs or questions with choices."
    ),
    "label_check_size": _("At least one row is drawn. Give a number from 1 on."),
    "label_check_nothing": _(
        "No row of this set has an approved translation into this target and a label that is known. Wait for reviews, "
        "or choose another target."
    ),
    "region_wrong": _("A region has at most 80 characters. Shorten it, then save again."),
    "email_wrong": _("This is not an e-mail address. Mend it, then send again."),
    "invitation_accepted": _("This invitation was accepted already; the person is among the members."),
    "size_wrong": _("Give a whole number, from 1 to 10,000."),
    "writer_wrong": _("There is no such writer here. Invite one, or choose another."),
    "heir_wrong": _("What is open can only go to another writer of this project."),
    "account_leads": _(
        "You are the only administrator. Make somebody else one first, then delete your account."
    ),
    "password_wrong": _("This is not your password. Nothing was deleted."),
    "settings_stale": _(
        "Somebody changed this project in the meantime. Nothing was saved; what you typed is below, beside what "
        "stands now."
    ),
    # concepts
    "concept_text_missing": _("Write the concept, or one on each line."),
    "concept_category_missing": _("Give the category."),
    "concept_category_unknown": _("There is no such category in this project. Choose one of the list."),
    "concept_exists": _("The category has this concept already."),
    "concept_key_taken": _("Another concept has this key already."),
    "concept_near": _(
        "Nothing was stored yet: the category has a concept that is nearly the same. If they are two, say so below "
        "and send again."
    ),
    "concept_stale": _(
        "Somebody changed this concept in the meantime. What you typed is kept; look at what stands now, then send "
        "again."
    ),
    "concept_decided": _("A QC lead approved this concept already."),
    "concept_in_use": _(
        "Writers have this concept already, so it stays. You can change its wording, or they can skip it."
    ),
    **SOURCE_PROBLEMS,
    **MACHINE_PROBLEMS,
    **BASELINE_PROBLEMS,
    **ABOUT_PROBLEMS,
    "concepts_source_missing": _("Choose the project that the concepts are in."),
    "own_concept": _("You proposed this one, so another QC lead looks at it."),
    # group review
    "session_name_missing": _("Give the session a name."),
    "session_name_taken": _("There is a session with this name already. Choose another."),
    "elicitation_sort_unknown": _("Choose what kind of question it is."),
    "elicitation_question_missing": _("Write the question first."),
    "elicitation_answer_missing": _("Write the answer first."),
    "elicitation_topic_unknown": _(
        "This is no topic of the list. Choose one of those offered, or leave it empty."
    ),
    "elicitation_session_unknown": _("There is no such session. Load the page again."),
    "elicitation_stale": _(
        "Somebody changed this question in the meantime. What you typed is kept; look at what stands now, then send "
        "again."
    ),
    "closed_elicitation": _("The project is closed, so questions and answers stay as they are."),
    "closed_group": _("The project is closed, so nothing is proposed or decided any more."),
    "parts_missing": _("A prompt needs a context and an instruction."),
    "parts_lines": _("Only the context may have several lines. Write this part in one."),
    "suggestion_form": _("Choose what you propose."),
    "suggestion_same": _("Nothing differs from the text as it stands. Change what you would have otherwise."),
    "response_missing": _("A response cannot be empty. Write it anew, or leave it as it was."),
    "response_gone": _("This response is not there any more."),
    "other_missing": _("Give the id of another prompt of this project that is not left out."),
    "halves_same": _("Both prompts would be the same. Change one of them."),
    "personal_missing": _("Write the personal situation of the variation."),
    "own_suggestion": _("You proposed this, so another QC lead decides it."),
    "suggestion_over": _("This proposal was decided or taken back meanwhile."),
    "suggestion_stale": _(
        "The prompt changed after this page was made. What the proposal changes now is shown below; look at it, then "
        "decide again."
    ),
    "suggestion_left_out": _(
        "This prompt is left out by now. Decline the proposal, or take the prompt in again first."
    ),
    "suggestion_no_writer": _("Nobody is there to write the variation. Invite a writer first."),
    "concepts_closed": _("The project is closed, so its list of concepts stays as it is."),
    "slug_taken": _("There is a project with this short name. Choose another."),
}
PASS_REASONS: Mapping[str, str] = {
    "not-my-field": _("I do not know enough about it"),
    "cannot-read": _("I cannot make sense of the text"),
    "offensive": _("It offends me or does harm"),
    "know-the-writer": _("I know who wrote it"),
    "other": _("Another reason"),
}
SKIP_REASONS: Mapping[str, str] = {
    "not-understood": _("I do not understand the text"),
    "not-my-field": _("I do not know enough about it"),
    "broken": _("The text is broken or in another language"),
    "too-little": _("It says too little to write from"),
    "offensive": _("It offends me or does harm"),
    "other": _("Another reason"),
}
# Where one writes from a concept and not from a text; the same codes, which are stored with the share.
CONCEPT_SKIPS: Mapping[str, str] = {
    "not-understood": _("I do not know this concept"),
    "not-my-field": _("It is not part of life where I live"),
    "broken": _("The concept is misspelt or in another language"),
    "too-little": _("I find no question about it that has one right answer"),
    "offensive": _("It offends me or does harm"),
    "other": _("Another reason"),
}
# Where one translates a text; the same codes.
UNIT_SKIPS: Mapping[str, str] = {
    "not-understood": _("I do not understand the text"),
    "not-my-field": _("I do not know enough about it"),
    "broken": _("The text is broken or in another language"),
    "too-little": _("It can be read in several ways, and what is meant changes the translation"),
    "offensive": _("It offends me or does harm"),
    "other": _("Another reason"),
}
EVENTS: Mapping[str, str] = {
    "project_created": _("made the project"),
    "guideline_note": _("noted a frequent error in the writing guidelines"),
    "settings": _("changed settings"),
    "project_closed": _("closed the project"),
    "project_reopened": _("opened the project again"),
    "invited": _("invited somebody"),
    "invitation_revoked": _("withdrew an invitation"),
    "roles": _("changed somebody's roles"),
    "no_part": _("signed that they took no part in what they judge"),
    "label_check_created": _("drew a label check"),
    "evaluation_created": _("drew an evaluation of a release"),
    "target_created": _("named a target"),
    "target_rechecked": _("had the translations of a target checked again"),
    "target_changed": _("changed a target"),
    "target_ended": _("ended a target"),
    "target_reopened": _("opened a target again"),
    "targets": _("changed what somebody works for"),
    "region": _("entered somebody's region"),
    "handed_over": _("handed over what somebody had to write for"),
    "left": _("took somebody out of the project, or left it"),
    "import": _("took a file in"),
    **SOURCE_EVENTS,
    **MACHINE_EVENTS,
    **ABOUT_EVENTS,
    **BASELINE_EVENTS,
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
    "rating_prepared": _("prepared a rating of model outputs"),
    "rating_changed": _("changed a rating of model outputs"),
    "rating_outputs": _("brought outputs of models"),
    "rating_opened": _("opened a rating of model outputs"),
    "rating_closed": _("closed a rating of model outputs"),
    "release_downloaded": _("downloaded a release's file"),
    "rate_set": _("set a rate of pay"),
    "pay_approved": _("approved pay"),
    "pay_reversed": _("took back an entry of pay"),
}
UNKNOWN = _("That was not possible. Nothing you typed is lost; load the page again and look before you send.")


def problem_words(code: str) -> str:
    """What went wrong and how to mend it."""
    return gettext(PROBLEMS.get(code, UNKNOWN))


def skip_words(kind: Kind) -> Mapping[str, str]:
    """Why a writer of this kind may skip what they were given to write from."""
    return {"qa": CONCEPT_SKIPS, "units": UNIT_SKIPS}.get(kind.shape, SKIP_REASONS)


def event_words(verb: str) -> str:
    """What somebody did, for the list of who changed what."""
    return gettext(EVENTS[verb]) if verb in EVENTS else verb


def slot_words(kind: Kind, slot: Slot) -> str:
    """A slot's name in the reader's language: its label's name, and the number that the kind gave it."""
    label = kind.label(slot.label)
    return slot.name.replace(label.name, gettext(label.name), 1) if label else gettext(slot.name)


def finding_words(finding: Finding, kind: Kind, slots: Mapping[str, Slot]) -> str:
    """What a check says; labels, slots and choices among its parameters are called by their names."""
    params = dict(finding.params)
    label = kind.label(str(params.get("label", "")))
    if label is not None:
        params["label"] = gettext(label.name)
    other = slots.get(str(params.get("other", "")))
    if other is not None:
        params["other"] = slot_words(kind, other)
    for name in ("option", "other_option", "place"):
        option = kind.label(str(params.get(name, "")))
        if option is not None:
            params[name] = option.letter
    words = gettext(finding.message) % params
    if "option" in params and "%(option)s" not in finding.message:
        # What is said of any text, here of a choice.
        return gettext("Choice %(option)s: %(words)s") % {"option": params["option"], "words": words}
    return words
