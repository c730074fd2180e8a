"""The only writers of projects, people, sources and items: keyword-only, typed, each owns its transaction."""

from .accounts import user_activate, user_create
from .concept_review import (
    concept_change,
    concept_propose,
    concept_propose_again,
    concept_review,
)
from .concepts import ConceptIn, concepts_add, concepts_take_over, concepts_type
from .elicitation import (
    elicitation_add,
    elicitation_answer,
    elicitation_answer_change,
    elicitation_change,
    elicitation_retire,
    elicitation_seed,
)
from .endpoints import EndpointIn, endpoint_end, endpoint_open, endpoint_save, limit_set
from .invitations import invitation_accept, invitation_create, invitation_revoke
from .leading import lead_place
from .pay import entry_again, entry_reverse, rate_set
from .pay_periods import dispute_answer, dispute_open, period_approve
from .people import Roles, annotator_add, pseudonym_next, roles_change
from .projects import (
    guideline_note,
    guideline_publish,
    project_close,
    project_create,
    project_settings_change,
    protocol_change,
)
from .prompts import prompt_new, variation_new
from .second_look import second_look_save
from .sessions import session_create
from .sources import PremiseIn, premises_add, shares_assign, shares_lapse, shares_lapse_all
from .targets import places_set, target_change, target_create, target_ended, targets_add
from .units import units_take
from .writing import draft_save, item_revise, set_submit, source_skip

__all__ = [
    "ConceptIn",
    "EndpointIn",
    "PremiseIn",
    "Roles",
    "annotator_add",
    "concept_change",
    "concept_propose",
    "concept_propose_again",
    "concept_review",
    "concepts_add",
    "concepts_take_over",
    "concepts_type",
    "dispute_answer",
    "dispute_open",
    "draft_save",
    "elicitation_add",
    "elicitation_answer",
    "elicitation_answer_change",
    "elicitation_change",
    "elicitation_retire",
    "elicitation_seed",
    "endpoint_end",
    "endpoint_open",
    "endpoint_save",
    "entry_again",
    "entry_reverse",
    "guideline_note",
    "guideline_publish",
    "invitation_accept",
    "invitation_create",
    "invitation_revoke",
    "item_revise",
    "lead_place",
    "limit_set",
    "period_approve",
    "places_set",
    "premises_add",
    "project_close",
    "project_create",
    "project_settings_change",
    "prompt_new",
    "protocol_change",
    "pseudonym_next",
    "rate_set",
    "roles_change",
    "second_look_save",
    "session_create",
    "set_submit",
    "shares_assign",
    "shares_lapse",
    "shares_lapse_all",
    "source_skip",
    "target_change",
    "target_create",
    "target_ended",
    "targets_add",
    "units_take",
    "user_activate",
    "user_create",
    "variation_new",
]
