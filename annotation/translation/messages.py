"""What is said of source sets, their clean-up and targets where something was not possible: by the refusal's code."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

SOURCE_PROBLEMS: Mapping[str, str] = {
    "registers_unlike": _("Choose two different targets of one language."),
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
        "An answer would not stand in its passage any more. Change the answer in the same step, letter by letter."
    ),
    "clean_up_undone": _("This step was taken back already."),
    "clean_up_covered": _("The text was changed once more since. Take the later step back first."),
    "import_started": _("It is under way already."),
    # targets
    "target_wrong": _("This target cannot be. Look at what stands beside the field, then send again."),
    "target_taken": _("There is a target of this language and register already. Choose another register."),
    "target_lines_wrong": _("Nothing was added yet: mend the lines named below, then send again."),
    "target_lines_missing": _("Write at least one line: a language code, and a register where it has one."),
    "target_stale": _(
        "Somebody changed this target in the meantime. What you typed is kept; what stands now is beside it. Look at "
        "both, then send again."
    ),
    "target_unknown": _("There is no such target in this project. Choose one of the list."),
    "target_missing": _("Choose the target first."),
    "targets_stale": _(
        "Somebody changed these targets in the meantime. Nothing was saved; look at what stands now, then save again."
    ),
    "target_over": _("This target was ended, so nothing new is given out in it. Open it again first."),
    "word_list_wrong": _("The word list cannot be read. Write one word a line, with what it stands for."),
    "language_unknown": _("This is no language code. Codes look like id, jv or min."),
}

SOURCE_EVENTS: Mapping[str, str] = {
    "source_set_made": _("made a source set"),
    "source_set_frozen": _("froze a source set, so that translation begins"),
}
