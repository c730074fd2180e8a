"""What went wrong and how to put it right, by the code of the refusal; `core/messages.py` gives the words to people."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

PROBLEMS: Mapping[str, str] = {
    # pay
    "rate_unit_unlike": _("This is not paid by that unit: choose another one."),
    "currency_unknown": _("There is no such currency in ISO 4217."),
    "rate_amount_wrong": _("An amount is 0 or more, with at most four decimals."),
    "units_wrong": _("Say how many units it should be: a whole number above 0."),
    "entry_reversed": _("This entry was undone already."),
    "dispute_open": _("You said before that this entry is wrong. It waits for an answer."),
    "dispute_answered": _("Somebody answered this already. Their answer is shown below."),
    "period_not_begun": _("This day has not begun yet: approve up to today at most."),
    "period_unknown": _("Say up to which day is to be approved."),
    "paid_day_wrong": _("Give a day from that of the approval on, today at the latest."),
    "approval_unknown": _("Say which approval was paid."),
    "person_missing": _("Say whose pay is to be approved."),
    "answer_missing": _("Please write an answer first."),
    "outcome_missing": _("Say what becomes of the entry."),
    # invitations
    "alias_of_member": _(
        "This is another spelling of an address that has a place in this project, or of your own. One person has one "
        "account: invite the address that they have."
    ),
    "invitations_too_many": _(
        "You have invited as many people within an hour as this site allows. Wait a while, then go on."
    ),
    "address_not_confirmed": _(
        "Nobody has confirmed that the address of your account is yours, so this invitation cannot be accepted. Ask an "
        "administrator of the site to invite you."
    ),
    "name_not_one_line": _(
        "A name is one line: take out line breaks, tabs, and characters that nobody sees or that turn the direction."
    ),
    # tasks
    "task_breaks_votes": _(
        "There are items already, and the change would invalidate votes. Make a new project for it, or leave it out."
    ),
    # writing
    "checks_block": _("Not submitted yet: please fix what is marked below first. Everything you typed is saved."),
    "checks_block_one": _("Not saved yet: please fix what is marked below first."),
    "draft_newer": _(
        "A newer text was saved in another tab or on another device. Both are shown below: choose one, then send again."
    ),
    "allocation_over": _(
        "You cannot change this any more: it was submitted or skipped, or given to someone else. What you typed is "
        "still shown here; copy what you want to keep."
    ),
    "closed_writing": _(
        "This project is closed, so nothing more is saved here. Copy what you want to keep from the fields below."
    ),
    "text_not_storable": _(
        "This text cannot be saved: it is too long, or it has a character that cannot be stored. Make it shorter, or "
        "type it again."
    ),
    "slot_unknown": _("This field is no longer part of the task. Reload the page."),
    "reason_missing": _("Please choose a reason first."),
    "validation_began": _(
        "You cannot change this text any more: a QC lead has checked it, or others have begun to vote on it."
    ),
    "stale": _(
        "Someone changed it while you were writing. The new text is shown below yours. Look at both, then send again."
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
    "corrections_off": _("No corrections of texts are proposed in this project. Send your answer without one."),
    "reason_missing_marked": _(
        "You ticked that something could also be right or can be read in two ways. Please say why in the reason below."
    ),
    "correction_missing": _(
        "You chose “Fix the text”, but you have not changed any text. Change what is wrong, or choose another answer."
    ),
    "approval_corrects": _(
        "You chose “Approve”, but you have changed a text. Choose “Fix the text”, or put the text back as it was."
    ),
    "approval_says_more": _(
        "You chose “Approve”, but also wrote what is wrong. Fix the text or return it to the translator; or delete "
        "your words."
    ),
    "return_corrects": _(
        "You chose “Return to translator”, but you have changed a text. Choose “Fix the text”, or put the text back "
        "as it was."
    ),
    "return_reason_missing": _("Please tell the translator what is wrong, in the field below."),
    "not_your_target": _(
        "You do not work for this target any more, so your answer was not counted. What you typed is still below."
    ),
    "reviewed_meanwhile": _(
        "Another reviewer was faster, so your answer was not needed. What you typed is still below."
    ),
    "correction_over": _("The text has changed, or you have already answered. What you typed is still below."),
    "took_part": _(
        "You took part in making or reviewing this prompt or one that belongs to it, so your answer was not counted. "
        "Here is the next one."
    ),
    "no_part_missing": _("Please tick that you took no part first."),
    "assignment_taken": _(
        "You can no longer answer this one, so what you sent was not counted. What you typed is shown below, with "
        "the next one."
    ),
    "assignment_over": _("You can no longer answer this one. Here is the next one."),
    "vote_differs": _(
        "You have already answered this one, and your first answer counts. What you typed now is shown below, with "
        "the next one."
    ),
    "card_changed": _(
        "The text or the question was changed after you saw it, so your answer was not counted. Please read it again."
    ),
    "assignment_gone": _(
        "This one is not open to you any more, or was given to you again since, so this answer was not counted."
    ),
    "entry_owed": _(
        "An answer kept on this device is not sent yet: first confirm what its project asks for. It is sent by itself "
        "afterwards."
    ),
    "client_id_invalid": _("This answer did not come from the page of its card."),
    "queued_assignment_taken": _("This one was no longer open to you, so this answer was not counted."),
    "queued_vote_differs": _("You had answered this one already. The first answer counts; this one was not counted."),
    "queued_project_closed": _("The project was closed meanwhile, so this answer was not counted."),
    "project_closed": _("The project was closed, so your answer was not counted. What you typed is shown below."),
    "nothing_to_take_back": _("There is no answer that you can undo now."),
    # reviewing
    "stale_item": _(
        "Something happened to this item after you opened it; it is listed below. What you typed is kept: look "
        "again, then send it once more."
    ),
    "moment_wrong": _("This page is out of date. Load it again."),
    "question_missing": _("Please write your question first."),
    "guideline_section_unknown": _("The guidelines have no such section. Choose another one, or ask without."),
    "guidelines_missing": _("Say into which guidelines it goes: tick at least one."),
    "question_published": _("This was published already, as it is shown below."),
    "unchanged": _(
        "You changed nothing and gave no reason. Fix the text, or say why it is right; or tick below that you want to "
        "submit it as it is."
    ),
    "not_from_here": _("The item is in another stage now, where this cannot be done."),
    "still_sent_back": _(
        "Its reviewers' votes would send it back again. Void the vote that does, then it is reviewed again."
    ),
    "still_ambiguous": _(
        "Its votes would exclude it again at once. Settle it yourself, return it to its writer, or correct it with a "
        "new meaning first."
    ),
    "error_unknown": _("This project has no such error type."),
    "words_missing": _("Please say why, in a few words."),
    "text_missing": _("There is no text yet. Please write it."),
    "text_same": _("The text is the same as before. Change it, or leave the item as it is."),
    "meaning_missing": _("Please say whether it still means the same: votes depend on it."),
    "error_type_missing": _("Please choose what is wrong."),
    "label_missing": _("Please choose the label that is right."),
    "no_writer": _(
        "Nobody can correct this one: it was imported, or its writer has left. Correct it yourself, or exclude it."
    ),
    "own_item": _("You wrote this one, so another QC lead looks at it."),
    "proposal_over": _("This proposal was decided meanwhile."),
    "many_stale": _("Something happened to it after the list was made."),
    "many_singly": _("It is decided on its own page: it was returned, corrected, excluded, or settled by a QC lead."),
    "many_nothing": _("It has no open flag and waits for no check."),
    "many_no_flag": _("This flag is not open."),
    "many_none": _("None of the items can be part of this. Choose others, or another action."),
    "flag_missing": _("Please choose the flag to close."),
    "vote_gone": _("This vote does not count any more."),
    # people and projects
    "roles_missing": _("Choose at least one role."),
    "audits_need_voters": _(
        "Stopping at two needs four voters besides the writer of an item: with fewer an audit that finds another gold "
        "label never ends. Invite more voters first, or choose another protocol."
    ),
    "audits_need_labels": _("Stopping at two needs one label that writer and voters give: this kind asks for more."),
    "typing_not_asked": _("This project does not record how texts are typed."),
    "model_cannot_vote": _("Choose an endpoint that answers questions and is still in use."),
    "model_needs_labels": _(
        "A model can vote where voters choose one label of the kind: this kind asks for something else."
    ),
    "model_votes_count": _("Ask about 1 to 500 items; 50 to 100 are enough for the test."),
    "model_votes_running": _("A model is being asked already. Wait until it is through."),
    "leads_still_vote": _("QC leads of this project are voters still: take that role from them first."),
    "roles_exclude": _(
        "In one project nobody can both lead and vote or rate; former leads and administrators can do neither."
    ),
    "roles_stale": _(
        "Somebody changed these roles in the meantime. Nothing was saved; check the present roles, then save again."
    ),
    "made_what_is_judged": _(
        "This person had a part in what is judged here, or led it. Ask somebody who had no part in it."
    ),
    "judges_what_is_made": _("This person answers, or answered, a study of what is made here. Choose somebody else."),
    "media_shown": _("An item shows this file, so it stays. Remove what no item shows."),
    "study_people": _("Between 1 and 9 people answer each item. Give a number in between."),
    "study_member_wrong": _("Somebody you chose cannot take part any more. Look at who is left, then draw it again."),
    "study_reopening_unconfirmed": _("Type the short name of the study's project to open the study again."),
    "study_member_unknown": _("This is no validator of the study's project. Invite them there first."),
    "study_group_unknown": _("The study has no such group. Choose one of its groups."),
    "study_group_fixed": _("This person is in a group already, and stays in it."),
    "study_blind_reopened": _("This study was closed and its results were shown, so it stays closed."),
    "label_check_no_labels": _(
        "The rows of this source set carry no label that people vote on. Choose pairs or questions with choices."
    ),
    "label_check_nothing": _(
        "No row of this set has an approved translation into this target and a label that is known. Wait for reviews, "
        "or choose another target."
    ),
    "region_wrong": _("A region has at most 80 characters. Shorten it, then save again."),
    "invitation_list_empty": _("Write at least one address, or choose a file."),
    "invitation_list_unread": _("The file is not text in UTF-8, or longer than 200 KB. Save it as CSV in UTF-8."),
    "invitation_rows_too_many": _("At most 500 addresses go at once. Send the rest afterwards."),
    "invitation_listed_twice": _("This address stands above already."),
    "invitation_role_unknown": _("A role is none of: writer, validator, lead, reviewer."),
    "invitation_role_not_yours": _("Only an administrator can invite somebody for this role."),
    "invitation_of_member": _("This person is a member already. Change their roles in the list of members."),
    "invitation_open_already": _("This address was invited before, and its link still works."),
    "email_wrong": _("This is not an e-mail address. Correct it, then send again."),
    "invitation_accepted": _("This invitation was accepted already; the person is among the members."),
    "size_wrong": _("Give a whole number, from 1 to 10,000."),
    "writer_wrong": _("There is no such writer here. Invite one, or choose another."),
    "heir_wrong": _("What is open can only go to another writer of this project."),
    "account_leads": _("You are the only administrator. Make somebody else one first, then delete your account."),
    "account_unpaid": _(
        "Pay that you earned is not approved yet. Say below what should happen to it. Nothing was deleted."
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
    "id_unreachable": _("No address can carry this id: give it another one, without a part of addresses at its end."),
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
    "concepts_source_missing": _("Choose the project that the concepts are in."),
    "own_concept": _("You proposed this one, so another QC lead looks at it."),
    # group review
    "session_name_missing": _("Give the session a name."),
    "session_name_taken": _("There is a session with this name already. Choose another."),
    "elicitation_sort_unknown": _("Choose what kind of question it is."),
    "elicitation_question_missing": _("Write the question first."),
    "elicitation_answer_missing": _("Write the answer first."),
    "elicitation_topic_unknown": _("This is no topic of the list. Choose one of those offered, or leave it empty."),
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
    "suggestion_same": _("Nothing differs from the present text. Change what you would write differently."),
    "response_missing": _("A response cannot be empty. Write it again, or leave it as it was."),
    "response_gone": _("This response is not there any more."),
    "other_missing": _("Give the id of another prompt of this project that is not left out."),
    "halves_same": _("Both prompts would be the same. Change one of them."),
    "personal_missing": _("Write the personal situation of the variation."),
    "own_suggestion": _("You proposed this, so another QC lead decides it."),
    "suggestion_over": _("This proposal was decided or undone meanwhile."),
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
    # sources
    "registers_unlike": _("Choose two different targets of one language."),
    "report_empty": _("Nothing was computed yet that a report could hold. Have Insights computed first."),
    "release_not_ready": _("This release is not ready yet."),
    "predictions_model": _("Name the model, in at most 120 characters."),
    "predictions_restart": _("Name the restart in at most 40 characters, or leave it empty."),
    "predictions_refused": _("Nothing was taken: rows of the file do not fit the release."),
    "predictions_nothing": _("This release asks nothing that can be scored, or is not ready yet."),
    "predictions_no_files": _("The files of this release are not on this machine, so nothing can be scored."),
    "predictions_too_many": _(
        "The answers of this release are hidden, so few files are scored a day. Send this one again tomorrow."
    ),
    "source_closed": _("The project is closed, so its sources stay as they are."),
    "source_shape_unknown": _("Choose which texts a row has."),
    "source_key_wrong": _("A short name has small letters, digits and hyphens, at most 40 characters."),
    "source_task_wrong": _("A task is called by small letters, digits and hyphens, at most 40 characters."),
    "source_name_wrong": _("A name has at most 200 characters, all of which can be stored."),
    "source_set_taken": _("There is a source set with this short name already. Choose another."),
    "source_rows_none": _("None of the rows can be taken, so no set was made. The report says why."),
    "source_set_empty": _("Nothing is left of this set. Take a row back first, or make another set."),
    "source_stale": _(
        "Somebody cleaned these texts in the meantime. What you typed is kept below; look at what stands now, "
        "then send again."
    ),
    "source_project_missing": _("Choose a project that you lead, and whose items can be translated."),
    "source_project_own": _("A project does not translate from itself. Choose another."),
    "source_release_missing": _("There is no such release that is ready. Choose another."),
    "source_target_missing": _("Choose a source set of that project and the target whose texts you want."),
    "source_filter_wrong": _("This filter cannot be read. Choose from the lists."),
    "clean_reason_unknown": _("This project has no such reason. Choose one of the list."),
    "clean_reason_missing": _("Choose a reason, or say it in your own words."),
    "row_removed": _("This row was removed already."),
    "row_unanswerable": _("This row is marked already."),
    "no_passage": _("Rows of this set have no passage, so there is nothing to answer them without."),
    "field_unknown": _("This text is not part of the row any more. Load the page again."),
    "no_distractor": _("This is no distractor of the row: the right answer stays as it is."),
    "choice_same": _("Another choice of the row reads the same. Write it differently."),
    "answer_no_span": _(
        "The passage would not contain an answer any more. Change the answer in the same step, letter by letter."
    ),
    "clean_up_undone": _("This step was undone already."),
    "clean_up_covered": _("The text was changed once more since. Take the later step back first."),
    "import_started": _("It is under way already."),
    # targets
    "target_wrong": _("This target is not possible. Read the note beside the field, then send again."),
    "target_taken": _("There is a target of this language and register already. Choose another register."),
    "target_lines_wrong": _("Nothing was added yet: correct the lines named below, then send again."),
    "target_lines_missing": _("Write at least one line: a language code, and a register where it has one."),
    "target_stale": _(
        "Somebody changed this target in the meantime. What you typed is kept; what stands now is beside it. Look at "
        "both, then send again."
    ),
    "target_unknown": _("There is no such target in this project. Choose one of the list."),
    "target_missing": _("Choose the target first."),
    "targets_stale": _(
        "Somebody changed these targets in the meantime. Nothing was saved; check the present targets, then save again."
    ),
    "target_over": _("This target was ended, so nothing new is given out in it. Open it again first."),
    "word_list_wrong": _("The word list cannot be read. Write one word a line, with what it stands for."),
    "language_unknown": _("This is no language code. Codes look like id, jv or min."),
    # about a project and its people
    "homepage_wrong": _("A home page begins with https:// or http://."),
    "link_wrong": _("A link begins with https:// or http://."),
    "date_far": _("The day is more than a year ahead. Check its year."),
    "date_wrong": _("A day is written as year-month-day, such as 2026-11-28."),
    "section_unknown": _("The data statement has no such section. Load the page again."),
    "threshold_wrong": _("The smallest group is a number from 1 to 100."),
    "consent_stale": _("The text was changed in the meantime. Please read it below, then agree to it if you like."),
    "consent_missing": _("Please agree to the text first. What you typed is not stored."),
    "choice_unknown": _("Choose an answer of the list, or none."),
    "entry_stale": _("The conditions were changed in the meantime. Please read them below, then confirm them."),
    "task_prompt_task": _("Releases of this project have no such task. Load the page again."),
    "task_prompt_wrong": _("This prompt cannot be used. Read the note beside it, then send again."),
    "task_prompt_stale": _(
        "Somebody changed this prompt in the meantime. What you typed is kept; look at what stands now, then send "
        "again."
    ),
    "task_prompt_name_taken": _("There is a prompt with this name already. Change that one, or choose another name."),
    "entry_unticked": _("Please tick that this is true of you first."),
    "baseline_nothing": _("There is nothing to draw: choose a release or a diagnostic set, and a number from 1 on."),
    "baseline_no_labels": _("The items of this project have no labels that people could answer by."),
    "baseline_task": _("Write a short text on the task, of at most 4,000 characters."),
    "diagnostic_nothing": _("No item has a gold label that votes settled on. Wait for votes, then draw."),
}
