"""Predictions of a release and their scores, for leads and administrators; and of public ones for everybody."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from django.db.models import QuerySet

from annotation.core.access import Membership
from annotation.core.errors import NotFound
from exports.predictions.comparisons import with_holm
from exports.predictions.models import Leaderboard, Predictions
from exports.releases.models import Release
from exports.releases.queries import release as release_of
from exports.releases.rules.settings import SPLITS
from exports.scoring import free_answers

# In what order figures stand, and which one ranks: the first that a result has.
MEASURES = (
    *("accuracy", "macro_f1", "mc1", "mc2", "chrf", "rouge_l", "rouge_1", "rouge_2"),
    *(f"{name}_{figure}" for figure in ("margin", "nearer") for name in free_answers.MEASURES),
    *("cross_entropy", "manhattan", "jsd"),
)


@dataclass(frozen=True)
class ModelStanding:
    """A model's place among others in one split: its figures by name.

    Of a model with several restarts they are means with the standard deviation (`sd`), and `predictions` is the newest.
    """

    predictions: Predictions
    split: str
    figures: dict[str, Any]
    restarts: int = 1

    @property
    def rank(self) -> float:
        return float(next((self.figures[name]["value"] for name in MEASURES if name in self.figures), 0.0))


def predictions_of(membership: Membership, n: int) -> QuerySet[Predictions]:
    """Those of one release, by its number. Raises NotFound, Forbidden."""
    return _without_outcomes(release_of(membership, n))


def predictions_by_number(membership: Membership, n: int, number: int) -> Predictions:
    """One file's. Raises NotFound, Forbidden."""
    found = predictions_of(membership, n).filter(n=number).first()
    if found is None:
        raise NotFound
    return found


def other_restarts(mine: Predictions) -> QuerySet[Predictions]:
    """The other files of a model that name a restart."""
    named = _without_outcomes(mine.release).filter(model=mine.model, withdrawn_at=None).exclude(restart="")
    return named.exclude(pk=mine.pk).order_by("n")


def _without_outcomes(release: Release) -> QuerySet[Predictions]:
    found = Predictions.objects.filter(release=release).select_related("job", "by", "release__project")
    return found.defer("given", "outcomes").order_by("-n")


def public_release(slug: str, n: int) -> Release:
    """A release whose results everybody may read. Raises NotFound for all others alike."""
    found = Leaderboard.objects.filter(public=True, release__project__slug=slug, release__n=n)
    board = found.select_related("release__project").first()
    if board is None:
        raise NotFound
    return board.release


def is_public(release: Release) -> bool:
    """Whether everybody may read its results."""
    return Leaderboard.objects.filter(release=release, public=True).exists()


def standings(release: Release) -> dict[str, list[ModelStanding]]:
    """What counts of every model, by split, the best first.

    A model's newest file stands for it, and with it the newest of each other restart where it is a restart.
    """
    newest: dict[tuple[str, str], dict[str, Predictions]] = {}
    done = _without_outcomes(release).filter(withdrawn_at=None).exclude(result={})
    for each in done:
        for split in each.result.get("splits", {}):
            of_model = newest.setdefault((each.model, split), {})
            if not of_model or (each.restart and "" not in of_model):
                of_model.setdefault(each.restart, each)
    found = [_standing(list(of_model.values()), split) for (_, split), of_model in newest.items()]
    # Test first; the sets of an aligned release by name.
    splits = sorted({one.split for one in found} - set(SPLITS))
    return {
        split: ranked
        for split in (*SPLITS[::-1], *splits)
        if (ranked := _rank_models(one for one in found if one.split == split))
    }


def _standing(restarts: Sequence[Predictions], split: str) -> ModelStanding:
    """Restarts of a model as one system (IndoNLI §4): the mean of each figure that all have, and its deviation."""
    figures = [each.result["splits"][split]["figures"] for each in restarts]
    first, n = figures[0], len(figures)
    if n == 1:
        return ModelStanding(restarts[0], split, first)
    means: dict[str, Any] = {}
    for name in first:
        if all(name in each for each in figures):
            values = [each[name]["value"] for each in figures]
            unknown = {"low": None, "high": None}
            means[name] = {"value": fmean(values), "sd": stdev(values), **unknown, "n": first[name]["n"]}
    return ModelStanding(restarts[0], split, means, n)


def comparisons_with_others(mine: Predictions) -> dict[str, list[dict[str, Any]]]:
    """By split this model less every other one, the newest file of each: those that were scored before it, and those
    that were scored later and compared with it."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    others = _without_outcomes(mine.release).filter(withdrawn_at=None).exclude(model=mine.model).order_by("n")
    numbers = {each.n: each for each in others}
    for split, told in mine.result.get("splits", {}).items():
        for each in told["against"]:
            if each["n"] in numbers:
                found.setdefault(split, {})[each["model"]] = each
    for other in numbers.values():
        for split, told in other.result.get("splits", {}).items():
            for each in told["against"]:
                if each["n"] == mine.n:
                    found.setdefault(split, {})[other.model] = _reverse_comparison(other, each)
    return {split: with_holm(told[model] for model in sorted(told)) for split, told in found.items()}


def _reverse_comparison(other: Predictions, each: dict[str, Any]) -> dict[str, Any]:
    """A comparison of another model with this one, as this one's with it."""
    ends = (None, None) if each["low"] is None else (-each["high"], -each["low"])
    named = {"n": other.n, "model": other.model, "baseline": other.baseline}
    return {**named, "difference": -each["difference"], "low": ends[0], "high": ends[1], "p": each["p"]}


def _rank_models(found: Iterable[ModelStanding]) -> list[ModelStanding]:
    return sorted(found, key=lambda each: (-each.rank, each.predictions.model, each.predictions.n))
