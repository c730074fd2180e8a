"""A figure is rounded once, half up, wherever it is shown: 34.747 is 34.7 (IndoNLI Table 2: 5,226 of 15,040)."""

from decimal import Decimal
from typing import Any

import pytest
from django.template import Context, Template

from annotation.templatetags.shares import share
from annotation.text.rounding import half_up
from annotation.ui.tables import FIGURE, PERCENT, Column, shown_value
from exports.releases.rules.leakage import SplitDigests, leakage_report
from validation.consensus.protocol import DEFAULT_PROTOCOL, PRESETS
from validation.consensus.replay import _saving_as_json
from validation.consensus.savings import compute_saving, percent
from validation.consensus.stages import NO_CONSENSUS, SETTLED
from validation.insights.reports.rounds import _saving_rows
from validation.insights.rules.agreement import alpha_with_interval, krippendorff_alpha

SAVED, FIVE = 5226, 15040
BLANK = "\u00a0"


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (34.747, 1, "34.7"),
        (34.75, 1, "34.8"),
        (12.25, 1, "12.3"),
        (0.0625, 3, "0.063"),
        (Decimal("2.5"), 0, "3"),
        (-0.25, 1, "-0.3"),
    ],
)
def test_half_goes_up_once(value: float | Decimal, digits: int, expected: str) -> None:
    assert str(half_up(value, digits)) == expected


@pytest.mark.parametrize(("part", "whole"), [(SAVED, FIVE), (49, 400), (1, 3), (1, 16)])
def test_every_way_to_show_a_percentage_says_the_same(part: int, whole: int) -> None:
    """As pages count savings, as tables of insights show them, as templates write shares and floats."""
    value = 100 * part / whole
    wanted = f"{percent(part, whole)}"
    assert shown_value(Column("percent", "", PERCENT), value) == f"{wanted}{BLANK}%"
    assert share(Decimal(part) / Decimal(whole)) == share(part / whole) == f"{wanted}{BLANK}%"
    assert Template("{{ value|floatformat:1 }}").render(Context({"value": value})) == wanted


def test_what_the_rounds_saved() -> None:
    protocol = PRESETS[DEFAULT_PROTOCOL]
    entered = [3008, 602, 188]
    ended = {SETTLED: {1: 2406, 2: 414, 3: 188}, NO_CONSENSUS: dict[int, int]()}
    row: dict[str, Any] = dict(_saving_rows(protocol, ended, entered)[0])
    assert (row["saved"], row["five"]) == (SAVED, FIVE)
    assert shown_value(Column("percent", "", PERCENT), row["percent"]) == f"34.7{BLANK}%"
    told = _saving_as_json(compute_saving(protocol, entered, authoring=True))
    assert told is not None
    assert told["percent"] == 34.7


def test_known_words_of_the_leakage_report() -> None:
    """34,747 of 100,000 words stood there as 34.75 and on the page as 34.8."""
    one, other = SplitDigests("train"), SplitDigests("test")
    one.words = {str(n) for n in range(34747)}
    other.words = {str(n) for n in range(100_000)}
    assert leakage_report([one, other])[0]["known_words_percent"] == 34.7


def test_alpha_has_its_interval_and_three_digits() -> None:
    units = [("e", "e", "e"), ("n", "n", "e"), ("c", "c", None), ("e", "n", "n"), ("c", "c", "c")] * 8
    found = alpha_with_interval(units)
    assert found.exact == krippendorff_alpha(units).exact
    assert found.interval is not None
    assert found.value is not None
    low, high = found.interval
    assert low < found.value < high
    assert alpha_with_interval({tuple(unit): 8 for unit in units[:5]}).interval == found.interval
    assert alpha_with_interval([("e", "e")]).interval is None
    template = Template('{% include "validation/insights/partials/figure.html" %}')
    text = " ".join(template.render(Context({"figure": found})).split())
    assert text.startswith(f"{found.value:.3f} ")
    assert f"95 % interval {half_up(low, 3)} to {half_up(high, 3)}" in text
    assert shown_value(Column("alpha", "", FIGURE), found.value) == f"{found.value:.3f}"
