"""The paragraph on methods: who judged, how many, when it stops, which votes the figures rest on, as what.

Written from the protocols of the project and, in the card's own sentences, from its newest release.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from annotation.ui.latex import escape_latex
from exports.paper.sheets import Number
from exports.paper.sources import ProjectSources, path_of
from exports.paper.typeset import breakable
from exports.releases.rules import statement
from exports.releases.rules.manifest import Tally
from validation.consensus.protocol import Protocol
from validation.insights.reports.agreement_tables import OVERALL
from validation.insights.reports.base import Row
from validation.insights.reports.reading import project_state

_ADVICE = re.compile(r": (?:cite these|biased)\Z")
# What each figure is called after, by the first words of its name, as references.bib has it.
CITED = {
    "Krippendorff": "krippendorff2004",
    "Fleiss": "fleiss1971",
    "Cohen": "cohen1960",
}
REFERENCES = r"""@book{krippendorff2004,
  title = {Content Analysis: An Introduction to Its Methodology},
  author = {Krippendorff, Klaus},
  edition = {2},
  year = {2004},
  publisher = {Sage},
}

@article{fleiss1971,
  title = {Measuring Nominal Scale Agreement Among Many Raters},
  author = {Fleiss, Joseph L.},
  journal = {Psychological Bulletin},
  volume = {76},
  number = {5},
  pages = {378--382},
  year = {1971},
}

@article{cohen1960,
  title = {A Coefficient of Agreement for Nominal Scales},
  author = {Cohen, Jacob},
  journal = {Educational and Psychological Measurement},
  volume = {20},
  number = {1},
  pages = {37--46},
  year = {1960},
}
"""


def paragraph(told: ProjectSources, software: str, key: str = "") -> str:
    """The paragraph of one project as LaTeX; `key` is what its release is cited by."""
    project = told.project
    cited = f"~\\cite{{{key}}}" if key else ""
    kind = project.kind_spec.export.title or project.kind_spec.slug
    sentence = f"Items of kind “{kind}”, language {project.language}."
    head = f"\\paragraph{{{breakable(escape_latex(project.name))}}} {escape_latex(sentence)}{cited}"
    return (
        "\n".join([head, *(breakable(escape_latex(each)) for each in _sentences(told, software)), *_coefficients(told)])
        + "\n"
    )


def _sentences(told: ProjectSources, software: str) -> Iterator[str]:
    release = told.release
    if release is not None:
        part = {"counts": release.counts, "project": {"kind": told.project.kind}}
        yield f"{statement.people_sentence(part)} {statement.blindness_sentence(part)}"
    for n, rules in told.project.protocols.order_by("n").values_list("n", "rules"):
        yield f"Stopping rule (protocol {n}): {Protocol.from_stored(rules).title}."
    if told.insights_at is not None:
        yield (
            f"Figures of agreement and quality were computed with Mufakat {software} on {_day(told.insights_at)}, over "
            f"{told.items:,} items with {told.votes:,} votes."
        )
    yield from _rests_on(told)
    if release is not None and told.statistics:
        day = _day(release.frozen_at or release.at)
        sha256 = release.manifest.get("manifest", {}).get("sha256", "")
        check = f" (SHA-256 of its manifest: {sha256})" if sha256 else ""
        yield f"Figures of the data are those of release {release.n}, frozen on {day}{check}."


def _day(at: datetime) -> str:
    return at.date().isoformat()


def _agreement(told: ProjectSources) -> list[Row]:
    """The coefficients of agreement that have a figure: of those without one no table tells."""
    overall = next((each for each in told.insights if each.key == f"agreement-{OVERALL.key}"), None)
    return [row for row in overall.rows if row.get("value") is not None] if overall else []


def _rests_on(told: ProjectSources) -> Iterator[str]:
    """Which votes the coefficients of agreement rest on, in the words of their table."""
    named = dict.fromkeys(str(row["over"]) for row in _agreement(told) if row.get("over"))
    # What pages advise is none of a paper's words.
    over = [f"“{_ADVICE.sub('', each)}”" for each in named]
    if over:
        yield f"Agreement is told over {', and over '.join(over)}; intervals are of 95 %."


def _coefficients(told: ProjectSources) -> list[str]:
    """Which coefficients are told, each with its reference."""
    names = dict.fromkeys(str(row["coefficient"]) for row in _agreement(told))
    found = {start: key for start, key in CITED.items() for name in names if name.startswith(start)}
    cited = ", ".join(f"{start}~\\cite{{{key}}}" for start, key in found.items())
    return [f"Coefficients: {cited}."] if found else []


def numbers(told: ProjectSources) -> list[Number]:
    """The numbers of the paragraph that are counts, with who computes them."""
    project, found = told.project, list[Number]()
    insights, file = f"p/{project.slug}/insights/", "validation/insights/reports/reading.py"
    if told.insights_at is not None:
        for name, value in (("items", told.items), ("votes", told.votes)):
            found.append(
                Number("methods", project.name, name, f"{value:,}", value, project.slug, insights, "", name, file,
                    path_of(project_state))
            )  # fmt: skip
    if told.release is not None:
        people, file = told.release.counts["people"], "exports/releases/rules/manifest.py"
        for name in ("authors", "voters"):
            found.append(
                Number("methods", project.name, name, str(people[name]), people[name], project.slug,
                    f"p/{project.slug}/releases/{told.release.n}/files/manifest.json", "counts.people", name, file,
                    path_of(Tally.counts))
            )  # fmt: skip
    return found
