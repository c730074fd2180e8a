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
from .invitations import invitation_accept, invitation_create, invitation_revoke
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
from .targets import places_set, target_create
from .units import units_take
from .writing import draft_save, item_revise, set_submit, source_skip

__all__ = [
    "ConceptIn",
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
    "draft_save",
    "elicitation_add",
    "elicitation_answer",
    "elicitation_answer_change",
    "elicitation_change",
    "elicitation_retire",
    "elicitation_seed",
    "guideline_note",
    "guideline_publish",
    "invitation_accept",
    "invitation_create",
    "invitation_revoke",
    "item_revise",
    "places_set",
    "premises_add",
    "project_close",
    "project_create",
    "project_settings_change",
    "prompt_new",
    "protocol_change",
    "pseudonym_next",
    "roles_change",
    "second_look_save",
    "session_create",
    "set_submit",
    "shares_assign",
    "shares_lapse",
    "shares_lapse_all",
    "source_skip",
    "target_create",
    "units_take",
    "user_activate",
    "user_create",
    "variation_new",
]
