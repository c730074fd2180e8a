"""What is said to people about machine-written questions: where a code comes back, and who did what."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

MACHINE_PROBLEMS: Mapping[str, str] = {
    # runs
    "run_name_missing": _("Give the run a name of at most 120 characters."),
    "run_name_taken": _("There is a run with this name already. Choose another."),
    "run_nothing": _("There is nothing that questions could be made from. Take some in first."),
    "run_too_much": _("This run would make more questions than one run can. Take fewer sources."),
    "run_recipe_unknown": _("This project has no such way of making questions. Choose one in its settings."),
    "run_endpoint_missing": _("A step has no endpoint to ask. Choose one for each step."),
    "run_endpoint_unlike": _("An endpoint cannot do what its step asks for. Choose another one."),
    "run_endpoint_ended": _("This endpoint was ended. Choose another one."),
    "run_parameters_wrong": _("A parameter is a name and a number or a word. Mend it, then send again."),
    "run_project_closed": _("The project is closed, so no questions are made."),
    "run_over": _("This run is over. Make a new one."),
    "run_stale": _("Somebody else went on with this run meanwhile. Look at how far it came."),
    "run_step_done": _("The step is done and can be looked at. Go on with the next one when you are ready."),
    "run_batch_failed": _("Some questions could not be carried on. Resume the run to try them again."),
    # what questions are made from
    "materials_closed": _("The project is closed, so nothing is taken in."),
    "materials_other_sort": _("This project's questions start from something else. Look at its settings."),
    "materials_source_missing": _("Choose a project whose questions you lead or administer."),
    "split_wrong": _("A split is a word of at most 20 characters, such as train, dev or test."),
    "material_file_missing": _("Choose a file first."),
    "material_file_large": _("This file is too large for the page. Take it in with the command instead."),
    # comparing two runs
    "comparison_parts_wrong": _("Choose at least one part that is compared."),
    "comparison_size_wrong": _("Give a whole number of pairs, from 1 to 1,000."),
    "comparison_project_closed": _("The project is closed, so nothing is compared here."),
    "comparison_of_one": _("A run cannot be compared with itself. Choose two."),
    "comparison_run_unknown": _("There is no such run in this project. Choose one of the list."),
    "comparison_run_unfinished": _("A run is still going on. Compare runs that are over."),
    "comparison_nothing": _(
        "These two runs kept nothing from the same sources, so there are no pairs. Begin both with the same sources."
    ),
    "sides_missing": _("Please say of each part which side is better, or that both are equal."),
    "preference_differs": _(
        "You had answered this pair already, and the first answer stands. What you said now is kept below; here is "
        "the next."
    ),
    "comparison_over": _(
        "This comparison has ended meanwhile, so your answer was not stored. What you said stands below."
    ),
    # checking
    "not_machine_written": _("A person wrote this one, so there is nothing to check of a machine's work."),
    "decision_missing": _("Choose whether it is approved or excluded."),
    "verdict_missing": _("Say of each part what is wrong with it, or that nothing is."),
    "verdict_unknown": _("There is no such error of this part. Choose one of the list."),
    "verdicts_missing": _("A machine wrote this one: say of each part what is wrong with it first."),
    "right_choice_missing": _("Say which choice is the answer."),
    "choices_beyond": _(
        "There are more choices than a question has here. Empty those that go, then send again."
    ),
    "instruction_unknown": _("There is no such instruction. Load the page again."),
    "instruction_wrong": _(
        "This instruction cannot be used. Look at what stands beside it, then send again."
    ),
    "instruction_stale": _(
        "Somebody changed this instruction in the meantime. What you typed is kept; look at what stands now, then "
        "send again."
    ),
}
MACHINE_EVENTS: Mapping[str, str] = {
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
    "comparison_created": _("began a blind comparison of two runs"),
    "comparison_ended": _("ended a blind comparison of two runs"),
    "instruction_saved": _("changed an instruction of machine-written questions"),
}
