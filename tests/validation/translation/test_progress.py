"""Every stage is one part of a target's progress, and a list can be narrowed to each part."""

import pytest

from validation.consensus import stages
from validation.review.rules import filters
from validation.translation import rules as progress


def test_every_stage_stands_in_one_part():
    assert sorted(progress.PART_OF) == sorted(stages.STAGES)
    assert sum(map(len, progress.PARTS.values())) == len(stages.STAGES)
    assert set(progress.PART_NAMES) == {*progress.PARTS, progress.FLAGGED}


@pytest.mark.parametrize("part", progress.PART_NAMES)
def test_a_list_is_narrowed_to_a_part(part):
    read = filters.read_filters({"part": part, "target": "jv-ngoko"}, ())
    assert (read.part, read.narrowed) == (part, True)
    assert f"part={part}" in read.trail


def test_an_unknown_part_is_refused():
    with pytest.raises(filters.FilterError):
        filters.read_filters({"part": "everything"}, ())
