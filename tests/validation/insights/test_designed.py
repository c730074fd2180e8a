"""Headline figures of agreement rest on votes that nobody's answer brought about: no bias, intervals that cover."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation.content.models.item import Item
from tests.review import WRONG, cast_votes, world
from tests.validation.insights.grid import RUNS, simulate
from tests.validation.insights.simulated import PROTOCOLS, TEAMS, collect
from tests.validation.insights.test_agreement_insight import computed
from validation.consensus import design
from validation.consensus.audit import AUDITED, DISAGREEMENT, HELD, PANEL, TWO_AGREE
from validation.consensus.design import TOO_FEW_AUDITS, asking_probability, shares_in, stops_early
from validation.consensus.protocol import PRESETS, Protocol
from validation.insights.reports.designed import audit_chances, designed_rows, drawn_shares
from validation.insights.reports.others import complete_rows
from validation.insights.reports.quality import AS_GOLD, AS_OTHERS, SMOOTHING, _shared_votes
from validation.insights.reports.reading import Reading
from validation.insights.reports.samples import sample_of
from validation.insights.reports.vote_columns import code_votes
from validation.insights.rules import dawid_skene
from validation.insights.rules.agreement import krippendorff_alpha, percent_agreement
from validation.insights.rules.clusters import jackknife_interval
from validation.insights.rules.tallies import Ballots
from validation.insights.rules.weighted import agreement
from validation.voting.models.stopping import StopStep

INCREMENTAL, FIXED, AUDITS = (PRESETS[name] for name in ("incremental-3-5", "fixed-5", "two-agree-audit"))


@pytest.mark.parametrize(
    ("protocol", "round", "place", "route", "q", "chance"),
    [
        (FIXED, 1, 4, "", None, 1.0),
        (INCREMENTAL, 1, 2, "", None, 1.0),
        (INCREMENTAL, 2, 3, "", None, None),
        (AUDITS, 1, 1, TWO_AGREE, 0.3, 1.0),
        (AUDITS, 2, 2, AUDITED, 0.3, 0.3),
        (AUDITS, 2, 2, DISAGREEMENT, None, 1.0),
        (AUDITS, 2, 2, PANEL, None, 1.0),
        (AUDITS, 2, 2, TWO_AGREE, 0.3, None),
        (AUDITS, 3, 3, AUDITED, 0.3, None),
        (AUDITS, 1, 1, "", None, 1.0),
        (AUDITS, 2, 2, "", None, None),
    ],
)
def test_with_which_probability_a_vote_was_asked_for(
    protocol: Any, round: int, place: int, route: str, q: float | None, chance: float | None
) -> None:
    assert asking_probability(protocol, round=round, place=place, route=route, q=q) == chance


def test_which_protocols_stop_early() -> None:
    assert {name for name, protocol in PRESETS.items() if stops_early(protocol)} == {
        "incremental-3-5",
        "two-agree-audit",
    }


def ballots(units: list[str]) -> Ballots:
    """Votes as letters, one text an item, by people 0, 1, …"""
    cells = [(item, person, "enc".index(label)) for item, unit in enumerate(units) for person, label in enumerate(unit)]
    item, person, label = (np.array(column) for column in zip(*cells, strict=True))
    return Ballots(item, person, label, len(units), 4, 3)


@pytest.mark.parametrize("units", [["ee", "en", "nn", "cc"], ["eee", "enn", "nn", "c", "cec", "nnnn"]])
def test_equal_weights_give_the_ordinary_figures(units: list[str]) -> None:
    votes = ballots(units)
    found = agreement(votes, np.ones(len(votes.item)), np.arange(votes.items))
    assert found.alpha.value == pytest.approx(krippendorff_alpha(units).value)
    assert found.percent.value == pytest.approx(percent_agreement(units).value)
    assert (found.items, found.ratings) == (krippendorff_alpha(units).items, krippendorff_alpha(units).ratings)


def test_an_item_of_weight_two_is_two_items() -> None:
    votes = ballots(["ee", "en", "nn", "cc"])
    twice = agreement(votes, np.where(votes.item == 1, 2.0, 1.0), np.arange(votes.items))
    assert twice.alpha.value == pytest.approx(krippendorff_alpha(["ee", "en", "en", "nn", "cc"]).value)


def test_what_is_not_defined_is_said() -> None:
    for units, reason in ((["e", "n"], "no item was judged"), (["ee", "ee"], "always gave the same label")):
        votes = ballots(units)
        found = agreement(votes, np.ones(len(votes.item)), np.arange(votes.items))
        assert found.alpha.value is None
        assert reason in found.why


# --- against a known truth ----------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_over_sources_are_the_jackknifes(weighted: bool) -> None:
    """What each pair adds, summed by source, is the figure without each source in turn."""
    random = np.random.default_rng(3)
    project = collect(random, np.linspace(0.6, 0.95, 8), "2+1+1", items=90)
    votes = project.ballots(project.asked[:, None] > np.arange(5))
    weight = random.uniform(1, 3, 90)[votes.item] if weighted else np.ones(len(votes.item))
    found = agreement(votes, weight, project.source)
    for name in ("alpha", "percent", "kappa"):
        left_out = []
        for source in range(30):
            kept = project.source[votes.item] != source
            left_out.append(getattr(agreement(votes.select(kept), weight[kept], project.source), name).value)
        ends = jackknife_interval(getattr(found, name).value, left_out)
        assert ends is not None
        assert getattr(found, name).items.width == pytest.approx(ends.width, rel=0.02), name


# Bounds of figures over endless runs; so many of them leave these errors of chance.
BIAS, LEAST, MOST, WIDER = 0.01, 0.93, 0.97, 0.93
IN_SECONDS = {("2+1+1", "careless"), ("two-agree-audit", "few")}


def cells() -> list[Any]:
    """Two cells always run, the others with the long faults."""
    return [
        pytest.param(protocol, team, 60 if (protocol, team) in IN_SECONDS and not long else RUNS,
            marks=(pytest.mark.faults, pytest.mark.timeout(1200)) if long else ())
        for long in (False, True) for protocol in PROTOCOLS for team in TEAMS
        if long or (protocol, team) in IN_SECONDS
    ]  # fmt: skip


@pytest.mark.parametrize(("protocol", "team", "runs"), cells())
def test_figures_are_without_bias_and_intervals_cover(protocol: str, team: str, runs: int) -> None:
    for found in simulate(protocol, team, runs):
        chance = 2 * (LEAST * (1 - LEAST) / runs) ** 0.5
        assert abs(found.bias) <= BIAS + 2 * found.error, found
        assert LEAST - chance <= found.items <= MOST + chance, found
        assert found.wider is None or found.wider >= WIDER - chance, found


def collected(random: np.random.Generator, accuracy: Any, items: int) -> Ballots:
    """Labels under author + 2, +1, +1, those of the authors among them."""
    cells: list[tuple[int, int, int]] = []
    for place, true in enumerate(random.integers(0, 3, items).tolist()):
        who = random.permutation(len(accuracy))[:5]
        right = random.random(5) < accuracy[who]
        labels = np.where(right, true, (true + random.integers(1, 3, 5)) % 3).tolist()
        asked = 3
        while asked < 5 and max(labels[:asked].count(label) for label in labels[:asked]) < 3:
            asked += 1
        cells += [(place, int(who[n]), labels[n]) for n in range(asked)]
    item, person, label = (np.array(column) for column in zip(*cells, strict=True))
    return Ballots(item, person, label, items, len(accuracy), 3)


@pytest.mark.parametrize("lowest", [0.6, 0.72])
def test_the_model_of_errors_is_without_bias_where_writers_are_raters(lowest: float) -> None:
    """Votes of later rounds are all on disputed items; what makes them disputed has to be among the labels."""
    random, accuracy = np.random.default_rng(3), np.linspace(lowest, 0.96, 10)
    errors = dawid_skene.fit(collected(random, accuracy, 3000), smoothing=SMOOTHING).accuracy - accuracy
    assert abs(errors.mean()) <= 0.01
    assert np.abs(errors).max() <= 0.05


@pytest.mark.django_db
def test_writers_are_raters_where_their_label_counts() -> None:
    at = world(2, settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, item.author_label * 2)
    rated, _ = _shared_votes(code_votes(Reading(at.project)))
    assert (len(rated.item), rated.items) == (3 * len(at.items), len(at.items))
    assert len(np.unique(rated.person)) == rated.people


# --- as a page shows it -------------------------------------------------------------------


@pytest.mark.django_db
def test_headlines_of_a_project_rest_on_its_first_round() -> None:
    at = world(2, settings={"spacing": 0})
    for n, item in enumerate(at.items):
        other = {"e": "n", "n": "c", "c": "e"}[item.author_label]
        cast_votes(at, item, item.author_label + (other if n % 3 == 0 else item.author_label))
    found = computed(at.project, "agreement")
    rows = found["overall"]
    assert [row["over"] for row in rows[:3]] == [design.FIRST_ROUND] * 3
    assert {row["low"] for row in rows[:3]} <= {row[end] for row in rows[:3] for end in ("items_low", "people_low")}
    assert {row["over"] for row in found["complete"]} == {design.COMPLETED}
    assert [(row["part"], row["over"]) for row in found["rounds"]] == [(1, design.FIRST_ROUND)]
    stops = [PRESETS["incremental-3-5"]]
    assert design.round_behind(design.STOPPED_EARLY, 2, stops, imported=False) == design.LATER_ROUND
    assert design.round_behind(design.STOPPED_EARLY, 1, stops, imported=True) == design.IMPORTED
    assert {row["over"] for row in found["sizes"]} == {design.STOPPED_EARLY}
    over = {row["figure"]: row["over"] for row in computed(at.project, "annotators")["over"]}
    assert (over[AS_GOLD], over[AS_OTHERS]) == (design.COMPLETED, design.STOPPED_EARLY)
    first = [item.author_label * 2 if n % 3 else item.author_label + {"e": "n", "n": "c", "c": "e"}[item.author_label]
        for n, item in enumerate(at.items)]  # fmt: skip
    assert rows[0]["value"] == pytest.approx(krippendorff_alpha(first).value)
    assert {row["over"] for row in rows[3:]} == {design.STOPPED_EARLY, design.WITH_AUTHOR}


@pytest.mark.django_db
def test_headlines_under_audits_weigh_the_second_votes() -> None:
    rules = replace(AUDITS, alpha=0.05, planned=100_000, batch=1, panel=0.0)
    at = world(8, protocol=rules, settings={"spacing": 0})
    for item in at.items:
        item = cast_votes(at, item, item.author_label)
        if item.route == AUDITED:
            cast_votes(at, item, item.author_label)
    rows = computed(at.project, "agreement")["overall"]
    assert rows[0]["over"] == design.FIRST_TWO_WEIGHTED
    assert rows[1]["value"] == 1.0


@pytest.mark.django_db
def test_agreements_that_are_drawn_stand_for_those_that_wait() -> None:
    """Else whoever differs from the writer, and is never held, would count too much while audits are open."""
    at = world(3, protocol=replace(AUDITS, alpha=0.05, planned=100_000, batch=1, panel=0.0), settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, item.author_label)
    reading = Reading(at.project)
    routes = list(Item.objects.filter(project=at.project).values_list("route", flat=True))
    drawn = len(routes) - routes.count(HELD)
    assert 0 < drawn < len(routes)
    (version,) = at.project.protocols.all()
    assert drawn_shares(reading) == {version.pk: drawn / len(routes)}
    q = audit_chances(reading, {version.pk: Protocol.from_stored(version.rules)})
    assert q == {item: q for item, q in StopStep.objects.filter(protocol=version).values_list("item", "q") if q}
    chances = {item: chance * drawn / len(routes) for item, chance in q.items()}
    found = sample_of(reading)
    weights = dict(zip(reading.items.index[found.item].tolist(), found.weight.tolist(), strict=True))
    assert {item: weights[item] for item in chances} == {item: pytest.approx(1 / q) for item, q in chances.items()}
    held = [pk for pk, route in Item.objects.filter(project=at.project).values_list("pk", "route") if route == HELD]
    there = reading.items.index[found.item].tolist()
    assert not any(found.checked[there.index(pk)] or found.open[there.index(pk)] for pk in held)


def with_open_audits(seed: int, done: int | None) -> tuple[dict[str, float] | None, float | None]:
    """Percent agreement of the first two votes where one in four first voters differs, with so many audits done."""
    random, q = np.random.default_rng(seed), 0.3
    differs = np.arange(2000) % 4 == 0
    route = np.where(differs, DISAGREEMENT, np.where(random.random(2000) < q, AUDITED, TWO_AGREE))
    audits = np.flatnonzero(route == AUDITED)
    second = differs.copy()
    second[audits[:done]] = True
    counts = [Counter(route[those].tolist()) for those in (np.ones(2000, bool), second)]
    shares = shares_in(*counts)
    if shares is None:
        return None, None
    weight = 1 / np.array([shares[AUDITED] * q if name == AUDITED else 1.0 for name in route])
    return shares, float(np.average(~differs[second], weights=weight[second]))


@pytest.mark.parametrize("done", [10, 40, None])
def test_audits_that_are_done_carry_the_weight_of_open_ones(done: int | None) -> None:
    shares, percent = with_open_audits(1, done)
    assert shares is not None
    assert shares[AUDITED] == 1 if done is None else shares[AUDITED] < 0.1
    assert percent == pytest.approx(0.75, abs=0.02)


def test_few_audits_stand_for_no_other_agreements() -> None:
    assert with_open_audits(1, 9) == (None, None)
    assert shares_in({AUDITED: 9}, {AUDITED: 9}) == {AUDITED: 1.0}
    assert shares_in({AUDITED: 9, HELD: 1}, {AUDITED: 9}) is None
    assert shares_in({AUDITED: 20, HELD: 20}, {AUDITED: 10}) == {AUDITED: 0.25}
    assert shares_in({AUDITED: 20, DISAGREEMENT: 2}, {AUDITED: 10}) is None


@pytest.mark.django_db
def test_while_audits_are_open_pages_say_so() -> None:
    """Rather than figures over disputed items alone."""
    at = world(2, protocol=replace(AUDITS, planned=100_000, panel=0.0), settings={"spacing": 0})
    for n, item in enumerate(at.items):
        item = cast_votes(at, item, WRONG[item.author_label] if n % 4 == 0 else item.author_label)
        if n % 4 == 0:
            cast_votes(at, item, item.author_label)
    agree = [item for n, item in enumerate(at.items) if n % 4]
    Item.objects.filter(pk__in=[item.pk for item in agree]).update(route=AUDITED)
    Item.objects.filter(pk__in=[item.pk for item in agree[:2]]).update(route=HELD)
    votes = code_votes(Reading(at.project))
    assert [row["value"] for row in designed_rows(votes)] == [None] * 3
    assert {row["why"] for row in designed_rows(votes)} == {TOO_FEW_AUDITS}
    assert {row["why"] for row in complete_rows(Reading(at.project))} == {TOO_FEW_AUDITS}
