"""The demo's review loop: the lead returns, corrects, settles and leaves out; writers answer."""

from annotation.content.models.item import Hypothesis, Item
from annotation.core.models.member import Annotator
from annotation.core.rules.draws import order
from annotation.kinds import SlotIn
from exports.demo.story import SEED, Demo, corrections, decide_all, present_text
from validation.review.actions.corrections import proposal_accept
from validation.review.actions.decisions import adjudicate, approve, exclude, return_
from validation.review.actions.writers import resubmit
from validation.review.models.review import Proposal


def review(demo: Demo) -> None:
    """What a lead does in an afternoon; some of it is left for whoever tries the demo."""
    proposals(demo)
    returned(demo)
    ties(demo)
    decide_all()


def fresh(item: Item) -> Item:
    item.refresh_from_db()
    return item


def proposals(demo: Demo) -> None:
    """One proposed correction is accepted with the same meaning; further ones stay open."""
    there = Proposal.objects.filter(project=demo.project, state=Proposal.State.OPEN)
    result = there.order_by("item__key", "pk").first()
    if result is not None:
        proposal_accept(
            lead=demo.lead,
            item_id=result.item_id,
            version=fresh(result.item).version,
            proposal_id=result.pk,
            meaning="same",
            words="Terima kasih, salah ketiknya sudah diperbaiki.",
        )


def returned(demo: Demo) -> None:
    """Items go back with words. One stays with its writer, one waits for the lead's second look, one is approved."""
    answers = 0
    for item, row in corrections(demo):
        if not item.author_id or (row["meaning"] == "same" and present_text(item) == row["corrected"]):
            continue
        if item.stage not in ("voting", "settled", "no_consensus"):
            continue
        given = {"error_type": row["error_type"], "words": row["feedback"]}
        return_(lead=demo.lead, item_id=item.pk, version=fresh(item).version, **given)
        answers += 1
        if answers > 1:
            answer(item, row["corrected"])
        if answers > 2:
            approve(lead=demo.lead, item_id=item.pk, version=fresh(item).version, meaning=row["meaning"])


def answer(item: Item, text: str) -> None:
    """The writer corrects a returned item."""
    writer = Annotator.objects.get(items=item)
    tags = Hypothesis.objects.values_list("tags", flat=True).get(item=item)
    content = SlotIn(text, tags=tags)
    resubmit(writer=writer, item_id=item.pk, version=fresh(item).version, content=content, words="")


def ties(demo: Demo) -> None:
    """Of the items without consensus one is settled by the lead and one left out; the rest wait on the desk."""
    tied = {item.key: item for item in Item.objects.filter(project=demo.project, stage="no_consensus")}
    keys = order(SEED, "desk", tied)
    if keys:
        item = tied[keys[0]]
        words = "Premis memang menyatakannya; dua suara membaca terlalu jauh."
        adjudicate(
            lead=demo.lead, item_id=item.pk, version=item.version, label=item.author_label, words=words
        )
    if len(keys) > 1:
        item = tied[keys[1]]
        words = "Kalimatnya sungguh bermakna ganda."
        exclude(lead=demo.lead, item_id=item.pk, version=item.version, words=words)
