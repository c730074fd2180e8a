"""Which items people checked by chance, and with which probability: what means over all items rest on (no insight).

Two draws are known: the share of items that is validated (`sample_share`), and the audits of two-agree-audit. Items
that people looked at for another reason (a check had flagged them, an import brought their votes) count as checked only
where the draw took them too.
"""

from typing import TYPE_CHECKING, NamedTuple

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.core.rules.draws import fraction
from annotation.text.gettext import gettext_noop
from annotation.writing.rules.sampling import PURPOSE
from validation.consensus import stages
from validation.consensus.audit import AUDITED, HELD, TWO_AGREE
from validation.consensus.protocol import Protocol
from validation.insights.reports.designed import drawn_shares
from validation.insights.reports.reading import Reading
from validation.voting.models.stopping import StopStep

if TYPE_CHECKING:
    import numpy as np

    from validation.insights.rules.assisted import Floats
    from validation.insights.rules.tallies import Ints

DECIDED = (stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)
# A sampled item that is in one of these is not decided yet.
NOT_DECIDED = (stages.SUBMITTED, stages.WRITTEN, stages.VOTING, stages.RETURNED, stages.CORRECTED)
NO_SAMPLE = gettext_noop(
    "People check every item of this project, so no random sample stands for others. Items that were reached first are "
    "not a random sample."
)
NOT_RANDOM = gettext_noop(
    "Checked items were not sampled at random: a file, a check or their level decided which items people see."
)
ALL_CHECKED = gettext_noop("Every item is checked: nothing has to be estimated.")
NONE_CHECKED = gettext_noop("Nobody has checked a sampled item yet.")


class Sample(NamedTuple):
    """The items that figures are over, by their places in the reading, and which of them the draw had checked.

    `checked` are decided, `open` sampled and not decided yet; `weight` is 1/q, one over the probability of being
    sampled; `stratum` and `unit` as in `assisted.Checked`. `why` there is none (then everything is empty).
    """

    item: "Ints"
    checked: "np.ndarray"
    open: "np.ndarray"
    weight: "Floats"
    stratum: "Ints"
    unit: "Ints"
    why: str = ""

    def select(self, wanted: "np.ndarray") -> "Sample":
        """Some of the items."""
        rest = (self.weight[wanted], self.stratum[wanted], self.unit[wanted])
        return Sample(self.item[wanted], self.checked[wanted], self.open[wanted], *rest, self.why)


def _audit_protocols(reading: Reading) -> set[int]:
    rows = reading.project.protocols.values_list("pk", "rules")
    return {pk for pk, rules in rows if Protocol.from_stored(rules).alpha}


def sample_of(reading: Reading) -> Sample:
    """The sample that people checked; made once a reading."""
    return reading.cached(_sample)


def _sample(reading: Reading) -> Sample:
    import numpy as np

    items = reading.items
    stage, route = (items[name].astype(object).to_numpy() for name in ("stage", "route"))
    voted = np.isin(items.index.to_numpy(), reading.votes["item"].unique())
    # What was excluded before anybody voted on it is not of the set.
    inside = (stage != stages.EXCLUDED) | voted
    audits = np.isin(items["protocol"].to_numpy(), list(_audit_protocols(reading)))
    share = _draw_again(reading, inside)
    # Where everything is validated, items under audits count from their first vote on: later ones are not reached yet.
    inside &= ~audits | (route != "") | share.partly
    agreed = audits & np.isin(route, (TWO_AGREE, AUDITED, HELD))
    taken = share.taken & ~np.isin(route, (TWO_AGREE, HELD))
    chance = np.where(agreed, _audit_chances(reading, agreed), 1.0) * share.chance
    decided = np.isin(stage, DECIDED) | (stage == stages.EXCLUDED)
    unreached = taken & audits & (route == "") & ~voted
    place = np.flatnonzero(inside)
    found = Sample(
        place,
        (taken & decided)[place],
        (taken & (~decided | unreached))[place],
        1 / chance[place],
        np.where(agreed | share.partly, 0, 1)[place].astype(np.int64),
        share.unit[place],
    )
    return found._replace(why=_why_none(reading, found, decided=bool((decided & voted).any())))


def _why_none(reading: Reading, found: Sample, *, decided: bool) -> str:
    if not (found.checked | found.open).all():
        if found.checked.any():
            return ""
        return NOT_RANDOM if decided else NONE_CHECKED
    if len(found.item) and not found.open.any():
        return ALL_CHECKED
    none = not found.checked.any() and bool(_audit_protocols(reading))
    return NONE_CHECKED if none or not len(found.item) else NO_SAMPLE


class _Share(NamedTuple):
    """The draw of the validated share: its probability, what it took, what was drawn together; is it less than all?"""

    chance: float
    taken: "np.ndarray"
    unit: "Ints"
    partly: bool


def _draw_again(reading: Reading, inside: "np.ndarray") -> _Share:
    """Draw the validated share as when items came: below the share that stands, and below all that was not taken.

    A share that was raised took fewer of the items that came before.
    """
    import numpy as np

    n, left = len(reading.items), inside & ~reading.items["sampled"].to_numpy(bool)
    if not left.any():
        return _Share(1.0, np.ones(n, bool), np.arange(n), partly=False)
    keys, unit = reading.items["key"].tolist(), np.arange(n)
    if reading.project.rules.sample_unit == "premise":
        sources = _sources(reading)
        keys = [sources[pk] for pk in reading.items.index.tolist()]
        unit = np.unique(np.array(keys, object).astype(str), return_inverse=True)[1]
    drawn = np.array([fraction(reading.project.seed, PURPOSE, key) for key in reading.keeping_lease(keys)])
    below = min(float(reading.project.sample_share), float(drawn[left].min()))
    return _Share(max(below, 1e-9), drawn < below, unit, partly=True)


def _sources(reading: Reading) -> dict[int, str]:
    """The key of each item's source, by the item's id."""
    path = f"{shapes.get(reading.kind.shape).source_path}__key"
    rows = Item.objects.using(reading.using).filter(project=reading.project).values_list("pk", path).order_by()
    return dict(reading.keeping_lease(rows.iterator(chunk_size=20_000)))


def _audit_chances(reading: Reading, agreed: "np.ndarray") -> "Floats":
    """The probability of an audit of these items, which agree undoubted; 1 elsewhere."""
    import numpy as np

    found = np.ones(len(agreed))
    if not agreed.any():
        return found
    steps = StopStep.objects.using(reading.using).filter(protocol__project=reading.project, q__isnull=False)
    q = dict(reading.keeping_lease(steps.order_by("n").values_list("item", "q").iterator(chunk_size=20_000)))
    ids, drawn = reading.items.index.to_numpy(), drawn_shares(reading)
    found[agreed] = [q.get(pk, 1.0) for pk in ids[agreed].tolist()]
    return found * [drawn.get(pk, 1.0) for pk in reading.items["protocol"].where(agreed, 0).tolist()]
