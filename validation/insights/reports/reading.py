"""What insights are computed from: a project's items and votes as columns, its texts one by one.

Columns are pandas' with categories: a million votes take about 30 MB. Everything is read in pages by key, in no
transaction, and only once however many insights ask.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model, QuerySet

from annotation.content import shapes
from annotation.core.database import fetch_rows
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from validation.consensus.stages import ASKED_STAGES
from validation.voting.carried_votes import carried_in

if TYPE_CHECKING:
    import pandas as pd

    from validation.insights.rules.tallies import Codes

PAGE = 20_000
# A sign of life between so many rows that are gone through one by one, and none sooner than so many seconds later.
TICK_EACH, TICK_SECONDS = 1000, 1.0
T = TypeVar("T")
Counted = TypeVar("Counted", bound=Model)

# Where leads vote, insights are of what nobody is asked about any more, for all readers alike.
_NOT_ASKED = " AND i.stage NOT IN ({})".format(", ".join(f"'{stage}'" for stage in ASKED_STAGES))
_ITEMS = """SELECT i.id, i.key, i.author_id, i.author_label, i.gold, i.gold_from, i.stage, i.round, i.epoch,
  i.sampled, i.target_id, i.revision_n, i.words, i.origin, i.protocol_id, i.family,
  i.route
FROM annotation_item i WHERE i.project_id = %s AND i.id > %s{counted} ORDER BY i.id LIMIT %s"""
_ITEM_COLUMNS = (
    "item",
    "key",
    "author",
    "author_label",
    "gold",
    "gold_from",
    "stage",
    "round",
    "epoch",
    "sampled",
    "target",
    "revision",
    "words",
    "origin",
    "protocol",
    "family",
    "route",
)
# A page of items, then its votes: the statement walks the index of an item's votes.
_VOTES = """SELECT v.item_id, v.annotator_id, v.label, v.round, v.seconds, v.surplus, v.unsure, v.ambiguous, v.n
FROM annotation_item i JOIN validation_vote v ON v.item_id = i.id AND v.epoch = i.epoch
WHERE i.project_id = %s AND i.id > %s AND i.id <= %s AND v.withdrawn_at IS NULL{counted}
ORDER BY v.item_id, v.round, v.n"""
_VOTE_COLUMNS = ("item", "annotator", "label", "round", "seconds", "surplus", "unsure", "ambiguous", "n")
_TEXTS = """SELECT i.id, i.revision_n, r.content FROM annotation_item i
JOIN annotation_revision r ON r.item_id = i.id AND r.n = i.revision_n
WHERE i.project_id = %s AND i.id > %s{counted} ORDER BY i.id LIMIT %s"""
_STATE = """SELECT count(*), COALESCE(sum(i.version), 0), COALESCE(sum(i.votes_n), 0), COALESCE(sum(i.revision_n), 0)
FROM annotation_item i WHERE i.project_id = %s{counted}"""
_COUNT_WITHDRAWN = "SELECT count(*) FROM validation_vote WHERE project_id = %s AND withdrawn_at IS NOT NULL"
_COUNT_WITHDRAWN_DECIDED = """SELECT count(*) FROM validation_vote v JOIN annotation_item i ON i.id = v.item_id
WHERE v.project_id = %s AND v.withdrawn_at IS NOT NULL{counted}"""
DECIDED_ONLY = "decided."


def project_state(project: Project, using: str = DEFAULT_DB_ALIAS) -> tuple[str, int, int]:
    """What changes when any vote, item, text or region does that insights count; and how many items and votes they
    count."""
    counted, withdrawn = (
        counted_items(project),
        _COUNT_WITHDRAWN_DECIDED if project.rules.leads_vote else _COUNT_WITHDRAWN,
    )
    items, versions, votes, revisions = fetch_rows(_STATE.format(counted=counted), [project.pk], using)[0]
    ((gone,),) = fetch_rows(withdrawn.format(counted=counted), [project.pk], using)
    settings = project.protocols.using(using).count()
    people = project.annotators.using(using).exclude(region="")
    regions = people.order_by("pk").values_list("pk", "region")
    digest = sha256(repr(list(regions)).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    only = DECIDED_ONLY if counted else ""
    state = f"{only}{items}.{versions}.{votes}.{revisions}.{gone}.{settings}.{digest}"
    return state, int(items), int(votes) - int(gone)


def counted_items(project: Project) -> str:
    """The condition on items `i` that insights of the project count: where leads vote, those that are decided."""
    return _NOT_ASKED if project.rules.leads_vote else ""


def once_a_second(tick: Callable[[], None]) -> Callable[[], None]:
    """Called however often, it calls `tick` once a second at most: a sign of life is a statement of the database."""
    last = monotonic()

    def ticked() -> None:
        nonlocal last
        now = monotonic()
        if now - last >= TICK_SECONDS:
            tick()
            last = now

    return ticked


class Reading:
    """A project as insights read it; `tick` is called between pages, and by all that takes long: the job keeps its
    lease so. `using` is the database that items, votes and texts are read from; what insights stored themselves, and
    the project's few protocols and targets, are always the primary's."""

    def __init__(
        self, project: Project, tick: Callable[[], None] = lambda: None, using: str = DEFAULT_DB_ALIAS
    ) -> None:
        self.project, self.kind, self.tick, self.using = project, project.kind_spec, tick, using
        self.counted = counted_items(project)
        self._made: dict[Callable[[Reading], Any], Any] = {}

    def cached(self, make: "Callable[[Reading], T]") -> T:
        """What `make` gives of this reading, made once however many insights ask for it."""
        if make not in self._made:
            self._made[make] = make(self)
        found: T = self._made[make]
        return found

    def keeping_lease(self, rows: Iterable[T]) -> Iterator[T]:
        """The same rows, with a sign of life now and then between them."""
        for n, row in enumerate(rows):
            if not n % TICK_EACH:
                self.tick()
            yield row

    def counted_rows(self, rows: "QuerySet[Counted]", stage: str) -> "QuerySet[Counted]":
        """Those of rows whose item, by its stage at this path, insights of the project count."""
        return rows.exclude(**{f"{stage}__in": ASKED_STAGES}) if self.counted else rows

    @cached_property
    def people(self) -> dict[int, Annotator]:
        """Everybody who has, or had, a place in the project, by id."""
        return {each.pk: each for each in Annotator.objects.using(self.using).filter(project=self.project)}

    @cached_property
    def targets(self) -> dict[int, Target]:
        """The project's targets by id."""
        return {target.pk: target for target in self.project.targets.all()}

    @cached_property
    def sources(self) -> "Codes":
        """Each item's source by its place, a code from 0; an item without one is a source of its own."""
        from validation.insights.rules.clusters import number_sources

        return number_sources(self.items["family"].to_numpy())

    @cached_property
    def groups(self) -> dict[int, str]:
        """Each item's category (or sentence class), by the item's id."""
        from annotation.content.models.item import Item

        path = shapes.get(self.kind.shape).group_path
        rows = Item.objects.using(self.using).filter(project=self.project).values_list("pk", path).order_by()
        return {pk: group or "" for pk, group in self.keeping_lease(rows.iterator(chunk_size=PAGE))}

    @cached_property
    def items(self) -> "pd.DataFrame":
        """One row an item, by id: key, author (id or -1), author_label, gold, gold_from, stage, round, sampled, target,
        revision, words, origin, protocol, family, route. Texts of labels and stages are categories."""
        import pandas as pd

        frames, last = [], -1
        while rows := fetch_rows(_ITEMS.format(counted=self.counted), [self.project.pk, last, PAGE], self.using):
            last = rows[-1][0]
            frame = pd.DataFrame.from_records(rows, columns=list(_ITEM_COLUMNS))
            frame["author"] = frame["author"].fillna(-1).astype("int64")
            frames.append(_pack_frame(frame, ("author_label", "gold", "gold_from", "stage", "origin")))
            self.tick()
        whole = _join_frames(frames, _ITEM_COLUMNS)
        return whole.set_index("item")

    @cached_property
    def votes(self) -> "pd.DataFrame":
        """One row a standing vote of an item's present epoch, in the order of items, rounds and votes: item, annotator
        (ids), label (category), round, seconds (NaN where not known), surplus, unsure, ambiguous (1, 0, or -1 where
        it is not known), n."""
        import pandas as pd

        ids, carried = self.items.index.to_numpy(), carried_in(self.project, self.using)
        frames = []
        for begin in range(0, len(ids), PAGE):
            page = ids[begin : begin + PAGE]
            limits = [self.project.pk, int(page[0]) - 1, int(page[-1])]
            rows = fetch_rows(_VOTES.format(counted=self.counted), limits, self.using)
            frame = pd.DataFrame.from_records(rows, columns=list(_VOTE_COLUMNS))
            if carried:  # places are those of the present text
                labels = zip(frame["item"], frame["n"], frame["label"], strict=True)
                frame["label"] = [carried.get((item, n), (label,))[0] for item, n, label in labels]
            frame["seconds"] = pd.to_numeric(frame["seconds"]).astype("float32")
            frames.append(_pack_frame(frame, ("label",)))
            self.tick()
        return _join_frames(frames, _VOTE_COLUMNS)

    def texts(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Item, number of its present revision, and its content, in the order of ids."""
        last = -1
        while rows := fetch_rows(_TEXTS.format(counted=self.counted), [self.project.pk, last, PAGE], self.using):
            for pk, revision, content in rows:
                yield pk, revision, orjson.loads(content) if isinstance(content, (str, bytes)) else content
            last = rows[-1][0]
            self.tick()


def _pack_frame(frame: "pd.DataFrame", names: Sequence[str]) -> "pd.DataFrame":
    """Texts that repeat as categories, ids and counts as narrow as they can be told to be."""
    for name in names:
        frame[name] = frame[name].astype("category")
    for name in ("round", "epoch", "n", "revision"):
        if name in frame:
            frame[name] = frame[name].astype("int32")
    for name in ("surplus", "sampled"):
        if name in frame:
            frame[name] = frame[name].astype("bool")
    for name in ("unsure", "ambiguous"):
        if name in frame:
            frame[name] = frame[name].astype("float32").fillna(-1).astype("int8")
    return frame


def _join_frames(frames: "list[pd.DataFrame]", columns: Sequence[str]) -> "pd.DataFrame":
    """Pages as one frame; the categories of all of them."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    if not frames:
        return pd.DataFrame({name: pd.Series(dtype="object") for name in columns})
    for name in columns:
        if isinstance(frames[0][name].dtype, pd.CategoricalDtype):
            known = union_categoricals([frame[name] for frame in frames], sort_categories=True).categories
            for frame in frames:
                frame[name] = frame[name].cat.set_categories(known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pages without a vote, whose columns are empty
        return pd.concat(frames, ignore_index=True)
