"""What pages do the API does, or docs/api.md says why it does not: every POST of a page is in one of two tables."""

from collections.abc import Mapping
from pathlib import Path

from tests.conventions.table import family_of, rows

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "api.md"
# By the route of the page: the routes of the API that do the same.
SERVED: Mapping[str, str] = {
    "about": "api_about",
    "about_consent": "api_consents",
    "concept": "api_concept_change",
    "concept_review": "api_concept_approve api_concept_return",
    "concepts_add": "api_concepts_add",
    "concepts_propose": "api_concepts_propose",
    "concepts_take": "api_concepts_take_over",
    "corrected_answer": "api_own_item_accept api_own_item_dispute",
    "desk_many": "api_acts api_acts_preview",
    "desk_many_undo": "api_acts_undo",
    "elicitation_add": "api_group_questions",
    "elicitation_answer": "api_group_question_answer",
    "elicitation_answer_change": "api_group_answer_change",
    "elicitation_change": "api_group_question_change",
    "elicitation_retire": "api_group_question_retire",
    "elicitation_seed": "api_group_questions_seed",
    "errors_note": "api_error_note",
    "group_act": "api_suggestion_remark api_suggestion_take_back api_suggestion_accept api_suggestion_decline",
    "group_suggest": "api_suggestions",
    "guidelines_edit": "api_guidelines",
    "guidelines_read": "api_guidelines_read",
    "import_cancel": "api_import_cancel",
    "import_start": "api_import_start",
    "imports": "api_imports",
    "insights_compute": "api_insights_compute",
    "instruction": "api_instructions",
    "item_act": "api_item_act",
    "leaderboard_change": "api_leaderboard",
    "machine_limit": "api_machine_limit",
    "machine_run_act": "api_run_go_on api_run_pause api_run_resume",
    "machine_run_cancel": "api_run_cancel",
    "machine_run_new": "api_runs api_runs_estimate",
    "materials_concepts": "api_materials_concepts",
    "materials_file": "api_materials_file",
    "materials_items": "api_materials_items",
    "media_files": "api_media api_media_remove",
    "model_votes_begin": "api_model_votes_ask",
    "my_pay_dispute": "api_own_dispute",
    "my_token_revoke": "api_token_revoke",
    "notices_seen": "api_notices_seen",
    "pay_approve": "api_pay_approve",
    "pay_paid": "api_pay_paid",
    "pay_dispute_answer": "api_dispute_answer",
    "pay_rate": "api_rates",
    "pay_reverse": "api_pay_reverse",
    "people_allocate": "api_sources_allocate",
    "people_hand_over": "api_member_hand_over",
    "people_invite": "api_invitations",
    "people_invite_many": "api_invitations",
    "people_region": "api_member_region",
    "people_remove": "api_member_end",
    "people_revoke": "api_invitation_revoke",
    "people_roles": "api_member_roles",
    "people_targets": "api_member_targets",
    "prediction_withdraw": "api_prediction_withdraw",
    "predictions": "api_predictions",
    "project_new": "api_projects",
    "project_open": "api_items_open",
    "qualification": "api_quiz_items_add api_quiz_items_draw",
    "quality_act_undo": "api_set_aside_undo",
    "quality_gold": "api_gold_add api_gold_draw",
    "quality_gold_retire": "api_gold_retire",
    "quality_pause": "api_member_pause api_member_decide_pause",
    "quality_set_aside": "api_member_set_aside",
    "question": "api_question_reply",
    "question_publish": "api_question_publish",
    "questions": "api_questions",
    "quiz": "api_quiz_begin api_quiz_hand_in",
    "writers_quiz": "api_quiz_begin api_quiz_hand_in",
    "writers_training": "api_training_begin api_training_answer",
    "quiz_item_retire": "api_quiz_item_retire",
    "quiz_waive": "api_member_waive_quiz",
    "registers": "api_registers",
    "release_new": "api_releases api_releases_preview",
    "release_replace": "api_release_replace api_release_replace_preview",
    "returned_item": "api_own_item_resubmit",
    "second_look_save": "api_second_look_save",
    "sessions": "api_sessions",
    "settings": "api_settings",
    "settings_closing": "api_project_close",
    "settings_protocol": "api_protocols",
    "source_begin": "api_source_import_start api_source_import_cancel",
    "source_clean": "api_source_unit_clean",
    "source_freeze": "api_source_set_freeze",
    "source_set_new": "api_source_sets_file api_source_sets_project",
    "source_undo": "api_source_unit_undo",
    "statistics": "api_statistics_compute",
    "study_close": "api_study_close",
    "study_join": "api_study_join",
    "study_new": "api_studies",
    "target_change": "api_target_change",
    "target_end": "api_target_end",
    "target_new": "api_targets",
    "target_recheck": "api_target_recheck",
    "task": "api_task",
    "task_new": "api_projects",
    "task_prompt": "api_task_prompts api_task_prompt_end",
    "task_prompt_new": "api_task_prompts",
    "topic_begin": "api_topic_begin",
    "topic_vary": "api_own_item_vary",
    "training": "api_training_begin api_training_answer",
    "vote_back": "api_work_undo",
    "vote_pass": "api_vote_skip",
    "vote_send": "api_vote",
    "vote_stay": "api_vote_stay",
    "webhook_change": "api_webhook_act api_webhook_end api_webhook_rotate api_delivery_replay",
    "webhooks": "api_webhooks",
    "write_autosave": "api_drafts",
    "write_item": "api_own_item_revise",
    "write_skip": "api_allocation_skip",
    "write_submit": "api_submit",
    "write_take": "api_target_take",
}
# By the bold beginning of a line of the document: the routes of pages that it gives the reason of.
REASONED: Mapping[str, str] = {
    "Accounts": "invitation openid_connect_login my_settings my_deletion set_language notices_mails notices_off",
    "Tokens": "my_tokens my_sessions_end",
    "Keys of endpoints": "endpoint_new endpoint endpoint_try endpoint_ending",
    "Statements about oneself": "entry my_about my_consent my_withdrawal my_region vote_sign write_typing",
    "Cards kept by the browser": "vote_ahead vote_ahead_return vote_next vote_next_return",
    "Previews": "task_preview",
    "Snippets from documents": "documents documents_page",
    "Public pages of releases": "publication erratum_done erratum_new",
}


def pages_that_do() -> set[str]:
    """The routes of our own pages that take a POST."""
    ours = [row for row in rows() if row.method == "POST" and not family_of(row.route)]
    return {row.route for row in ours if not row.is_api}


def test_every_page_that_does_something_is_served_or_has_its_reason() -> None:
    reasoned = [route for routes in REASONED.values() for route in routes.split()]
    known = [*SERVED, *reasoned]
    assert len(known) == len(set(known))
    assert sorted(pages_that_do() - set(known)) == []
    assert sorted(set(known) - pages_that_do()) == []


def test_what_serves_a_page_is_there() -> None:
    posts = {row.route for row in rows() if row.method == "POST" and row.is_api}
    named = {route for routes in SERVED.values() for route in routes.split()}
    assert sorted(named - posts) == []


def test_the_document_gives_every_reason_and_no_other() -> None:
    section = DOCUMENT.read_text().partition("## What only pages do")[2].partition("\n## ")[0]
    given = [line.partition("**")[2].partition(".**")[0] for line in section.splitlines() if line.startswith("- **")]
    assert given == list(REASONED)
