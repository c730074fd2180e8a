"""Words for problems with questions that a machine writes."""

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
    "run_parameters_wrong": _("A parameter is a name and a number or a word. Correct it, then send again."),
    "run_project_closed": _("The project is closed, so no questions are made."),
    "run_over": _("This run is over. Make a new one."),
    "run_stale": _("Somebody else went on with this run meanwhile. Look at how far it came."),
    "run_step_done": _("The step is done and can be looked at. Go on with the next one when you are ready."),
    "run_batch_failed": _("Some questions could not be carried on. Resume the run to try them again."),
    # what questions are made from
    "materials_closed": _("The project is closed, so nothing is taken in."),
    "materials_other_sort": _("This project's questions start from something else. Look at its settings."),
    "materials_source_missing": _("Choose a project whose questions you lead or administer."),
    "materials_choice_unknown": _("Choose which questions are taken: settled, checked or all."),
    "split_wrong": _("A split is a word of at most 20 characters, such as train, dev or test."),
    "material_file_large": _("This file is too large for the page. Take it in with the command instead."),
    # comparing two runs
    "comparison_parts_wrong": _("Choose at least one part that is compared."),
    "comparison_of_one": _("A run cannot be compared with itself. Choose two."),
    "comparison_run_unknown": _("There is no such run in this project. Choose one of the list."),
    "comparison_run_unfinished": _("A run is still going on. Compare runs that are over."),
    "comparison_nothing": _(
        "These two runs kept nothing from the same sources, so there are no pairs. Begin both with the same sources."
    ),
    # checking
    "not_machine_written": _("A person wrote this one, so there is nothing to check of a machine's work."),
    "decision_missing": _("Choose whether it is approved or excluded."),
    "verdict_missing": _("Say of each part what is wrong with it, or that nothing is."),
    "verdict_unknown": _("There is no such error of this part. Choose one of the list."),
    "verdicts_missing": _("A machine wrote this one: say of each part what is wrong with it first."),
    "right_choice_missing": _("Say which choice is the answer."),
    "choices_beyond": _("There are more choices than a question has here. Empty those that go, then send again."),
    # endpoints
    "address_unlike": _("This is no address of an endpoint. Give it as https://host/path, without ? and #."),
    "address_not_https": _(
        "An endpoint needs an https address. The person who runs this site can allow your own host without it."
    ),
    "address_with_user": _("An address has no user name and no password in it. Enter the key beside it."),
    "address_host": _("This host cannot be. Write its name, or its number as four numbers or in brackets."),
    "address_port": _("Endpoints cannot use this port. Use 443, or ask the person who runs this site to allow it."),
    "address_private": _(
        "This host lies in a private or reserved network. Whoever runs this site can allow it (ENDPOINT_HOSTS_ALLOWED)."
    ),
    "endpoint_name_taken": _("There is an endpoint with this name already. Choose another."),
    "endpoint_model_missing": _("Say which model is asked there."),
    "endpoint_stale": _("Somebody changed this endpoint meanwhile. Check the present version, then send again."),
    "endpoint_values_wrong": _("A price, a number of seconds or of calls is out of bounds. Look at each."),
    "endpoint_address_missing": _(
        "An endpoint without an address answers only what was recorded, so it cannot be tried."
    ),
    "secret_unlike": _("This is no key: it is empty, too long, or has characters that no key has."),
    "key_without_address": _("A key is kept for an address. Enter the address too."),
    "key_address_changed": _("The key was removed, because the address is another one. Enter the key for this one."),
    "parameter_unlike": _(
        "Parameters are named and typed by a list, and this is not on it. Addresses and keys never are."
    ),
    "limit_wrong": _("A budget is 0 or more with at most four decimals; at least 1 call a minute."),
    "limit_stale": _("Somebody changed this limit meanwhile. Check the present version, then send again."),
    "limit_currency_spent": _(
        "Something was spent in another currency already, so the currency of the budget stays as it is."
    ),
    # what stops a run until a person did something
    "limit_missing": _("This project has no budget for endpoints. An administrator sets one."),
    "budget_spent": _("The budget of this project is spent. An administrator can raise it."),
    "currency_other": _("The endpoint is paid in another currency than the budget. Change one of them."),
    "not_recorded": _("This endpoint has no address, and the answer was not recorded. Choose another endpoint."),
    "endpoint_ended": _("This endpoint was ended. Choose another one."),
    "endpoint_refuses": _(
        "The endpoint refuses what it is asked. Try it on its page: key, model, parameters or address may be wrong."
    ),
    "endpoint_certificate": _("The endpoint's certificate is not valid for its name, so nothing was sent."),
    "endpoint_address_refused": _("The endpoint's host may not be connected to now. Look at its address."),
    "endpoint_key_lost": _("The endpoint's key cannot be opened any more. Enter it again."),
    "endpoint_silent": _("The endpoint has not answered for long. Try it on its page, then resume."),
    "instruction_unknown": _("There is no such instruction. Load the page again."),
    "instruction_wrong": _("This instruction cannot be used. Read the note beside it, then send again."),
    "instruction_stale": _(
        "Somebody changed this instruction in the meantime. What you typed is kept; look at what stands now, then "
        "send again."
    ),
    # human evaluation of a release
    "evaluation_no_choices": _(
        "The items of this release have no choices that people could answer by. Evaluate a release of questions."
    ),
    "evaluation_not_ready": _("This release is not built. Wait until its files are there."),
    "evaluation_nothing": _("Nothing of dev or test was drawn. Give larger numbers, or evaluate another release."),
}
