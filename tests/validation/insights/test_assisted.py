"""Model-assisted figures: known sums, intervals against simulated truth, and a project's own over pages and API."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.core.rules.draws import fraction
from annotation.writing.rules.sampling import PURPOSE
from tests.answers import browser_of
from tests.api import script
from tests.review import WRONG, World, cast_votes, world
from tests.validation.insights.assisted_runs import FORMS, MODELS, SHARES, SIZES, is_measured, measure
from tests.validation.insights.test_agreement_insight import computed
from validation.consensus.audit import AUDITED, TWO_AGREE
from validation.consensus.protocol import PRESETS
from validation.insights.reports import applicable_to, assisted, samples
from validation.insights.reports.agreement_tables import GOLD_IS_AUTHOR, NO_GOLD
from validation.insights.reports.reading import Reading
from validation.insights.reports.samples import sample_of
from validation.insights.rules.assisted import Checked, cross_fitted, means
from validation.insights.rules.clusters import t95
from validation.voting.models.stopping import StopStep

AUDITS = PRESETS["two-agree-audit"]


def checked(values: Sequence[float | None], predicted: list[float], weight: Any = 2.0, **more: Any) -> Checked:
    n = len(values)
    value = np.array([np.nan if one is None else one for one in values], float)
    plain = {"stratum": np.zeros(n, int), "unit": np.arange(n), "weight": np.full(n, weight)} | more
    return Checked(value, np.array(predicted, float), **plain)


# --- the sums -----------------------------------------------------------------------------


def test_a_right_model_moves_the_mean_to_that_of_all_items() -> None:
    values = [1.0] * 40 + [0.0] * 40 + [None] * 80
    found = means(checked(values, [1.0] * 40 + [0.0] * 40 + [1.0] * 60 + [0.0] * 20))
    assert found.classic.value == 0.5
    assert found.assisted.value == pytest.approx(0.5 + found.factor * 0.125)
    assert 0.9 < found.factor < 1
    assert found.assisted.high - found.assisted.low < 0.5 * (found.classic.high - found.classic.low)  # type: ignore[operator]
    assert found.assisted.more < found.classic.more  # type: ignore[operator]


def test_a_model_that_is_wrong_counts_nothing() -> None:
    values = [1.0] * 40 + [0.0] * 40 + [None] * 80
    found = means(checked(values, [0.0] * 40 + [1.0] * 40 + [1.0] * 80))
    assert found.factor == 0
    assert found.assisted == found.classic


def test_audits_count_by_one_over_their_probability() -> None:
    values, weight = [1.0] * 20 + [0.0] * 20 + [None] * 100, np.r_[np.full(20, 4.0), np.full(20, 1.25), np.ones(100)]
    assert means(checked(values, [0.5] * 140, weight=weight)).classic.value == pytest.approx(0.8 / (0.8 + 0.25))


def test_what_is_certain_has_no_uncertainty() -> None:
    values = [1.0] * 30 + [0.0] * 10 + [None] * 60 + [0.0] * 900
    stratum = np.r_[np.zeros(100, int), np.ones(900, int)]
    found = means(checked(values, [0.5] * 1000, weight=np.r_[np.full(100, 2.5), np.ones(900)], stratum=stratum))
    assert found.classic.value == pytest.approx(0.075)
    assert found.classic.high - found.classic.low < 0.03  # type: ignore[operator]
    rest = means(checked(values, [0.5] * 1000, weight=np.full(1000, 2.5), stratum=stratum), unchecked_only=True)
    assert rest.classic.value == pytest.approx(0.75)


def test_more_checks_bring_the_interval_to_a_point() -> None:
    random = np.random.default_rng(1)
    true = (random.random(20_000) < 0.7).astype(float)
    place = random.permutation(20_000)

    def after(n: int) -> Any:
        seen = np.where(place < n, true, np.nan)
        return means(Checked(seen, true * 0, np.full(20_000, 20_000 / n), np.zeros(20_000, int), np.arange(20_000)))

    first = after(400).classic
    wider, enough = after(400 + first.more // 2).classic, after(400 + first.more).classic
    assert wider.high - wider.low > 0.021
    assert enough.high - enough.low == pytest.approx(0.02, rel=0.05)


def test_nothing_is_said_where_nothing_was_drawn() -> None:
    for values in ([1.0, 0.0], [None, None]):
        with pytest.raises(ValueError, match=r"every item|nobody checked"):
            means(checked(values, [0.5, 0.5]))
    few = means(checked([1.0] * 5 + [None] * 5, [0.5] * 10))
    assert (few.classic.value, few.classic.low, few.assisted.more) == (1.0, None, None)


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 3.182), (5, 2.571), (30, 2.042), (31, 2.0395), (1e9, 1.96)])
def test_students_quantile(freedom: float, quantile: float) -> None:
    assert t95(freedom) == pytest.approx(quantile, rel=0.0002)


def test_an_item_is_predicted_by_what_others_taught() -> None:
    code, fold = np.array([0, 0, 1, 1] * 50), np.arange(200) % 5
    value = np.where(np.arange(200) < 100, code, np.nan).astype(float)
    predicted = cross_fitted(value, [code], fold, np.ones(200))
    assert predicted[code == 1].min() > 0.8
    assert predicted[code == 0].max() < 0.2
    # Turned round in its own fold, an item's value changes nothing about what it is predicted to be.
    turned = np.where(fold == 0, 1 - value, value)
    assert (cross_fitted(turned, [code], fold, np.ones(200)) == predicted)[fold == 0].all()


# --- against a known truth ----------------------------------------------------------------

ALWAYS = {("varying q", "useless"), ("strata", "anti-correlated"), ("cross-fit", "90 % right"), ("sources", "score")}


def cells() -> list[Any]:
    """A few cells with fewer runs run always, all of them with the long faults."""
    quick = [pytest.param(form, model, 0.7, 100, 400) for form, model in sorted(ALWAYS)]
    return quick + [
        pytest.param(form, model, share, size, 2000, marks=(pytest.mark.faults, pytest.mark.timeout(1200)))
        for form in FORMS
        for model in MODELS
        for share in SHARES
        for size in SIZES
        if is_measured(form, size)
    ]


@pytest.mark.parametrize(("form", "model", "share", "size", "runs"), cells())
def test_intervals_cover_the_truth_and_no_model_widens_them(
    form: str, model: str, share: float, size: int, runs: int
) -> None:
    cell = measure(form, model, share, size, runs)
    for covered in (cell.covered, cell.covered_assisted):
        assert 0.93 - 2 * (0.93 * 0.07 / runs) ** 0.5 <= covered <= 0.97 + 2 * (0.97 * 0.03 / runs) ** 0.5
    assert cell.ratio <= 1.02


# --- as a page shows it -------------------------------------------------------------------


def decided_as(items: Any, gold: str) -> None:
    items.update(stage="settled", gold=gold, gold_from="votes")


def sampled_world(sets: int, **fields: Any) -> World:
    """Half of the items are validated; every fifth of these got another gold label than its author's."""
    at = world(sets, share=Decimal("0.5"), settings={"spacing": 0}, **fields)
    for n, item in enumerate(Item.objects.filter(project=at.project, sampled=True).order_by("pk")):
        decided_as(Item.objects.filter(pk=item.pk), item.author_label if n % 5 else WRONG[item.author_label])
    return at


def row(rows: list[dict[str, Any]], measure: str, over: str = assisted.ALL_ITEMS, label: str = "") -> dict[str, Any]:
    return next(one for one in rows if (one["measure"], one["over"], one["label"]) == (measure, over, label))


@pytest.mark.django_db
def test_unchecked_items_are_estimated_from_those_sampled() -> None:
    at = sampled_world(6)
    everything = Item.objects.filter(project=at.project)
    taken = everything.filter(sampled=True)
    right = sum(item.gold == item.author_label for item in taken)
    rows = computed(at.project, "assisted")["figures"]
    over, rest = row(rows, GOLD_IS_AUTHOR), row(rows, GOLD_IS_AUTHOR, assisted.UNCHECKED)
    assert (over["items"], over["checked"], over["open"]) == (36, taken.count(), 0)
    assert rest["items"] == 36 - taken.count()
    assert (over["value"], rest["value"]) == pytest.approx((100 * right / taken.count(),) * 2)
    assert over["low"] < over["value"] < over["high"]
    # Of checked items all is known: what is uncertain lies in the others alone.
    assert rest["high"] - rest["low"] > over["high"] - over["low"]
    shares = [row(rows, assisted.LABEL_SHARE, label=label) for label in "enc"] + [row(rows, NO_GOLD)]
    assert sum(one["value"] for one in shares) == pytest.approx(100)
    for one in rows:
        assert one["assisted_high"] - one["assisted_low"] <= one["high"] - one["low"] + 1.5

    page = browser_of(at.lead.user).get(reverse("insight", args=[at.project.slug, "assisted"])).content.decode()
    assert "only the random sample has to be right" in page
    assert "unchecked items" in page
    answer = browser_of(at.lead.user).get(reverse("insight_file", args=[at.project.slug, "assisted", "figures"]))
    heading, *lines = csv.reader(io.StringIO(answer.content.decode()))
    assert {"low", "high", "assisted_low", "assisted_high", "factor", "more", "assisted_more"} <= {*heading}
    assert float(lines[0][heading.index("assisted_low")]) == over["assisted_low"]
    table = script(at.lead.user).get(f"projects/{at.project.slug}/insights/assisted").json()["tables"][0]
    assert [line["assisted_high"] for line in table["rows"]] == [one["assisted_high"] for one in rows]


@pytest.mark.django_db
def test_open_items_widen_both_ends() -> None:
    at = sampled_world(6)
    before = row(computed(at.project, "assisted")["figures"], NO_GOLD)
    Item.objects.filter(pk__in=Item.objects.filter(project=at.project, sampled=True)[:3]).update(stage="voting")
    after = row(computed(at.project, "assisted")["figures"], NO_GOLD)
    assert (after["open"], after["checked"]) == (3, before["checked"] - 3)
    assert (before["value"], after["value"]) == (0, pytest.approx(100 * 1.5 / before["checked"]))
    assert after["high"] > before["high"]


@pytest.mark.django_db
def test_items_that_a_check_sent_to_people_are_no_part_of_the_sample() -> None:
    at = sampled_world(4)
    forced = Item.objects.filter(project=at.project, sampled=False).order_by("pk").first()
    assert forced is not None
    Item.objects.filter(pk=forced.pk).update(sampled=True)
    decided_as(Item.objects.filter(pk=forced.pk), "e")
    found, items = sample_of(Reading(at.project)), Item.objects.filter(project=at.project).order_by("pk")
    assert found.checked.tolist() == [fraction("seed", PURPOSE, item.key) < 0.5 for item in items]
    assert not found.why


@pytest.mark.django_db
def test_a_share_that_was_raised_counts_as_it_was() -> None:
    at = sampled_world(4)
    Project.objects.filter(pk=at.project.pk).update(sample_share=Decimal("0.9"))
    at.project.refresh_from_db()
    found, items = sample_of(Reading(at.project)), Item.objects.filter(project=at.project).order_by("pk")
    assert found.checked.tolist() == [item.sampled for item in items]
    assert found.weight[0] == pytest.approx(
        1 / min(fraction("seed", PURPOSE, item.key) for item in items if not item.sampled)
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("share", "changes", "why"),
    [
        ("1", {}, samples.NO_SAMPLE),
        ("1", {"stage": "settled", "gold": "e", "gold_from": "votes"}, samples.ALL_CHECKED),
        ("0.5", {}, samples.NONE_CHECKED),
    ],
)
def test_where_no_sample_was_drawn_it_says_why(share: str, changes: dict[str, Any], why: str) -> None:
    at = world(1, share=Decimal(share), settings={"spacing": 0})
    Item.objects.filter(project=at.project).update(**changes)
    (only,) = computed(at.project, "assisted")["figures"]
    assert only["why"] == why
    assert (
        why.split(":")[0]
        in browser_of(at.lead.user).get(reverse("insight", args=[at.project.slug, "assisted"])).content.decode()
    )


@pytest.mark.django_db
def test_items_that_something_else_chose_are_no_sample() -> None:
    at = world(2, share=Decimal("1"), settings={"spacing": 0})
    cast_votes(at, at.items[0], at.items[0].author_label * 2)
    # As a machine's easy questions: not validated, whatever the draw says.
    Item.objects.filter(project=at.project, votes_n=0).update(sampled=False, stage="written")
    assert sample_of(Reading(at.project)).why == samples.NOT_RANDOM


@pytest.mark.django_db
def test_audits_stand_for_agreements_that_nobody_checked() -> None:
    at = world(3, protocol=replace(AUDITS, alpha=0.5, planned=100_000, batch=1, panel=0.2), settings={"spacing": 0})
    for n, item in enumerate(at.items[:-2]):
        item = cast_votes(at, item, WRONG[item.author_label] if n % 6 == 5 else item.author_label)
        while item.stage == "voting":
            item = cast_votes(at, item, item.author_label)
    found = sample_of(Reading(at.project))
    routes = Item.objects.filter(project=at.project).exclude(route="").order_by("pk").values_list("pk", "route")
    assert len(found.item) == 16
    assert found.stratum.tolist() == [int(route not in (TWO_AGREE, AUDITED)) for _, route in routes]
    q = dict(StopStep.objects.filter(q__isnull=False).order_by("n").values_list("item", "q"))
    assert found.weight.tolist() == pytest.approx([1 / (q.get(pk) or 1) for pk, _ in routes])
    rows, stopped = computed(at.project, "assisted")["figures"], [pk for pk, route in routes if route == TWO_AGREE]
    assert row(rows, GOLD_IS_AUTHOR, assisted.UNCHECKED)["items"] == len(stopped)


@pytest.mark.django_db
def test_kinds_whose_gold_is_no_label_have_no_such_page() -> None:
    from tests import questions

    assert "assisted" in {insight.slug for insight in applicable_to(world(0).project)}
    assert "assisted" not in {
        insight.slug for insight in applicable_to(world(0, settings={"leads_vote": True}).project)
    }
    assert "assisted" in {insight.slug for insight in applicable_to(questions.a_question_project("own"))}
