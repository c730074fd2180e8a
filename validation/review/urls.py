"""The review desk, items, and items returned to writers."""

from django.urls import path, register_converter

from annotation.elicitation.api_topics import OwnItemVary
from validation.review import api, api_errors, api_many, api_writers
from validation.review.views import corrected, desk, item, machine_errors, many, returned
from validation.review.views import error_counts as errors

register_converter(api.ActConverter, "act")

OWN_ITEM_PATH = "api/v1/projects/<slug:slug>/my-items/<path:key>"
ACTS = "api/v1/projects/<slug:slug>/acts"

urlpatterns = [
    path("p/<slug:slug>/desk/", desk.desk, name="desk"),
    path("p/<slug:slug>/desk/many/", many.many, name="desk_many"),
    path("p/<slug:slug>/desk/many/<int:job_id>/", many.many_job, name="desk_many_job"),
    path("p/<slug:slug>/desk/many/<int:job_id>/undo/", many.many_undo, name="desk_many_undo"),
    path("p/<slug:slug>/items/", desk.items, name="items"),
    path("p/<slug:slug>/items/<int:item_id>/", item.item, name="item"),
    path("p/<slug:slug>/items/<int:item_id>/<str:act>/", item.item_act, name="item_act"),
    path("p/<slug:slug>/errors/", errors.errors, name="errors"),
    path("p/<slug:slug>/errors/errors.csv", errors.errors_file, name="errors_file"),
    path("p/<slug:slug>/errors/machine/", machine_errors.machine_errors, name="machine_errors"),
    path("p/<slug:slug>/errors/machine.csv", machine_errors.machine_errors_file, name="machine_errors_file"),
    path("p/<slug:slug>/errors/note/", errors.errors_note, name="errors_note"),
    path("p/<slug:slug>/returned/", returned.returned, name="returned"),
    path("p/<slug:slug>/returned/<int:item_id>/", returned.returned_item, name="returned_item"),
    path("p/<slug:slug>/corrected/", corrected.corrected, name="corrected"),
    path("p/<slug:slug>/corrected/<int:item_id>/", corrected.corrected_answer, name="corrected_answer"),
    path("api/v1/projects/<slug:slug>/items", api.Items.as_view(), name="api_items"),
    path("api/v1/projects/<slug:slug>/my-items", api_writers.OwnItems.as_view(), name="api_own_items"),
    path(f"{OWN_ITEM_PATH}:revise", api_writers.OwnItemRevise.as_view(), name="api_own_item_revise"),
    path(f"{OWN_ITEM_PATH}:resubmit", api_writers.OwnItemResubmit.as_view(), name="api_own_item_resubmit"),
    path(f"{OWN_ITEM_PATH}:accept", api_writers.OwnItemAccept.as_view(), name="api_own_item_accept"),
    path(f"{OWN_ITEM_PATH}:dispute", api_writers.OwnItemDispute.as_view(), name="api_own_item_dispute"),
    path(f"{OWN_ITEM_PATH}:vary", OwnItemVary.as_view(), name="api_own_item_vary"),
    path(OWN_ITEM_PATH, api_writers.OwnItem.as_view(), name="api_own_item"),
    path(ACTS, api_many.Acts.as_view(), name="api_acts"),
    path(f"{ACTS}:preview", api_many.ActsPreviewed.as_view(), name="api_acts_preview"),
    path(f"{ACTS}/<int:job_id>", api_many.ActsView.as_view(), name="api_acts_one"),
    path(f"{ACTS}/<int:job_id>:undo", api_many.ActsUndo.as_view(), name="api_acts_undo"),
    path("api/v1/projects/<slug:slug>/items/<path:key>/votes", api.ItemVotes.as_view(), name="api_item_votes"),
    path(
        "api/v1/projects/<slug:slug>/items/<path:key>/revisions",
        api.ItemRevisions.as_view(),
        name="api_item_revisions",
    ),
    path(
        "api/v1/projects/<slug:slug>/items/<path:key>/verdicts",
        api.ItemVerdicts.as_view(),
        name="api_item_verdicts",
    ),
    path("api/v1/projects/<slug:slug>/items/<path:key>/flags", api.ItemFlags.as_view(), name="api_item_flags"),
    path(
        "api/v1/projects/<slug:slug>/items/<path:key>/reviews",
        api.ItemReviews.as_view(),
        name="api_item_reviews",
    ),
    path(
        "api/v1/projects/<slug:slug>/items/<path:key>/comments",
        api.ItemComments.as_view(),
        name="api_item_comments",
    ),
    path(
        "api/v1/projects/<slug:slug>/items/<path:key>/proposals",
        api.ItemProposals.as_view(),
        name="api_item_proposals",
    ),
    path("api/v1/projects/<slug:slug>/items/<path:key>:<act:act>", api.ItemAct.as_view(), name="api_item_act"),
    path("api/v1/projects/<slug:slug>/items/<path:key>", api.ItemView.as_view(), name="api_item"),
    path("api/v1/projects/<slug:slug>/items:export", api.ItemsExport.as_view(), name="api_items_export"),
    path("api/v1/projects/<slug:slug>/votes:export", api.VotesExport.as_view(), name="api_votes_export"),
    path("api/v1/projects/<slug:slug>/error-counts", api_errors.ErrorCounts.as_view(), name="api_error_counts"),
    path(
        "api/v1/projects/<slug:slug>/guideline-versions:note",
        api_errors.ErrorNote.as_view(),
        name="api_error_note",
    ),
]
