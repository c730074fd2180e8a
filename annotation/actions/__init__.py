"""The only writers of projects, people, sources and items: keyword-only, typed, each owns its transaction."""

from .people import annotator_add, pseudonym_next
from .projects import guideline_publish, project_create, project_settings_change, protocol_change
from .sources import PremiseIn, premises_add, shares_assign, shares_lapse
from .writing import draft_save, item_revise, premise_skip, set_submit

__all__ = [
    "PremiseIn",
    "annotator_add",
    "draft_save",
    "guideline_publish",
    "item_revise",
    "premise_skip",
    "premises_add",
    "project_create",
    "project_settings_change",
    "protocol_change",
    "pseudonym_next",
    "set_submit",
    "shares_assign",
    "shares_lapse",
]
