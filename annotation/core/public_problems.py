"""What documents and the public pages of releases refuse, and how to put it right, by code."""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

PUBLIC_PROBLEMS: Mapping[str, str] = {
    "publication_not_ready": _("This release is not ready: its page can be opened once it is built."),
    "publication_part": _("This is a part of a release of several projects: open the page of that one."),
    "publication_open_votes": _(
        "The files of this release hold votes on items that are being voted on, or were returned and may be again: "
        "whoever is asked about them could read these first. Close the project, exclude those items or wait until "
        "they are decided, then open the page."
    ),
    "closes_pages": _(
        "Public pages show votes on items that will be voted on again. Nothing was changed yet: name these pages in "
        "the header Close-Pages, and they are closed with it."
    ),
    "publication_replaced": _(
        "This release was replaced because rows of it were withdrawn: its page stays closed. Open the page of the "
        "version that replaces it."
    ),
    "files_not_replaced": _("Only files of a release that was replaced can be withdrawn. Make a version first."),
    "replacement_not_ready": _("This release is not ready: a version of it can be made once it is built."),
    "signing_key_none": _("This site has no key that signs releases. Make one with manage.py signing_key --make."),
    "signing_key_there": _("This site has a key that signs releases. Replace it with manage.py signing_key --rotate."),
    "signing_key_needed": _(
        "A release that names this site’s key is being built. Nothing was changed: wait until it is ready."
    ),
    "signing_key_lost": _(
        "The key that signs releases cannot be opened, as SECRET_KEY is another one. Put the old one in "
        "SECRET_KEY_FALLBACKS, or make another key with manage.py signing_key --rotate, then freeze again."
    ),
    "release_not_to_sign": _(
        "Only a release that is ready, has no signature and is no part of another can be signed. Nothing was changed."
    ),
    "replacement_there": _("This release was replaced already, or is being replaced. Make a version of the newer one."),
    "replacement_changes_nothing": _(
        "The release holds nothing of this, so no version was made. Check the names, or choose another release."
    ),
    "replacement_leaves_nothing": _(
        "No row of the release would be left, so no version was made and nothing was withdrawn. Close its public page, "
        "and exclude these items in the project: then no later release holds them."
    ),
    "replacement_reason_missing": _("Say why: everybody who has the release should know."),
    "replacement_kind_missing": _("Say whether consent was withdrawn, or a rights holder asked for it."),
    "publication_questions": _(
        "The files of this release hold the answers to gold questions or quiz items. Nothing was saved: tick that they "
        "are taken out, then save again. New ones are drawn from what is settled later."
    ),
    "erratum_text": _("Say what is wrong, in at most 2,000 characters."),
    "erratum_item": _("The item’s id has at most 200 characters."),
    "erratum_links": _("A report has at most two links. Leave the others out."),
    "erratum_answer": _("Say what you found, in at most 2,000 characters."),
    "erratum_stale": _("This form was open too long, or was sent too fast. Nothing was sent yet: send it again."),
    "errata_too_many": _("Too many reports wait for an answer. Please come back when some were answered."),
    "documents_unlike": _("Nothing is written for texts in this project: snippets of documents are of no use here."),
}
