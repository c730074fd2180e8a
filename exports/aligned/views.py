"""What is missing where, with the way to the desk (screens.md 7), and how the registers of a language differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.core import access as people
from annotation.core.access import Membership, has_targets
from annotation.core.errors import Invalid, NotFound
from annotation.core.models.project import Target
from annotation.jobs.models import Job
from annotation.translation.rules.target_lines import formal_first
from annotation.ui.csv_files import csv_answer
from annotation.ui.pages import page
from annotation.ui.tables import FIGURE, NUMBER, Column, shown_value
from exports.aligned import registers as fetch
from exports.aligned.queries import preview
from exports.aligned.rules.missing import READY, STATES
from exports.releases.rules.settings import ALIGNED, default_rules
from validation.review.rules.filters import Filters


def missing_table(membership: Membership, counts: Mapping[str, Any]) -> dict[str, Any]:
    """The table of an aligned release, or of its preview: `heads` are its tasks, `lines` its targets.

    A line has the address of the target's items on the desk, of each task how many rows are ready and how many are in
    each other state, and how many rows it lacks in all.
    """
    lines = []
    for n, target in enumerate(counts["targets"]):
        name = target["name"] or target["language"]
        query = Filters(target=target["target"]).query.removesuffix("&")
        cells = [
            {
                "name": _heading(task),
                "rows": task["targets"][n][READY],
                "total": task["source_rows"],
                "others": [
                    (gettext(words), count)
                    for state, words in STATES.items()
                    if state != READY and (count := task["targets"][n][state])
                ],
            }
            for task in counts["tasks"]
        ]
        lines.append(
            {
                "title": f"{name} ({target['register']})" if target["register"] else name,
                "url": f"{reverse('desk', args=[membership.project.slug])}?{query}",
                "cells": cells,
                "lacks": sum(cell["total"] - cell["rows"] for cell in cells),
            }
        )
    return {"heads": counts["tasks"], "lines": lines}


def _heading(task: Mapping[str, Any]) -> SafeString:
    """The heading of a task's column: its name, and what it is derived from."""
    of = gettext("derived from %(task)s") % {"task": task["derived_from"]} if task["derived_from"] else ""
    more = format_html('<span class="matrix__more" dir="auto">{}</span>', of) if of else ""
    return format_html('<span dir="auto">{}</span> {}', task["task"], more)


def membership_with_targets(request: HttpRequest, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that has targets; NotFound in any other."""
    membership = people.lead_membership(request.user, slug)
    if not has_targets(membership.project):
        raise NotFound
    return membership


def _preview_counts(membership: Membership) -> Mapping[str, Any]:
    """By the project's own rules, over every target and row."""
    return preview(membership.project, default_rules(ALIGNED, membership.project.rules.release))


@login_required
@require_safe
def missing(request: HttpRequest, slug: str) -> HttpResponse:
    """Every task in every target as it stands now."""
    membership = membership_with_targets(request, slug)
    counts = _preview_counts(membership)
    more: dict[str, Any] = {"matrix": missing_table(membership, counts), "sets": bool(counts["tasks"])}
    return page(request, membership, "missing", "exports/aligned/missing.html", **more)


@login_required
@require_safe
def missing_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The same as CSV: a row a task and target."""
    membership = membership_with_targets(request, slug)
    counts = _preview_counts(membership)
    named = {each["target"]: each for each in counts["targets"]}
    rows: list[tuple[object, ...]] = [
        ("task", "derived_from", "target", "language", "register", "source_rows", *STATES)
    ]
    for task in counts["tasks"]:
        for each in task["targets"]:
            target = named[each["target"]]
            whose = (target["target"], target["language"], target["register"])
            sums = (task["source_rows"], *(each[state] for state in STATES))
            rows.append((task["task"], task["derived_from"], *whose, *sums))
    return csv_answer(request, rows, f"{slug}-missing.csv")


WHOLE_COLUMN, MEAN_COLUMN = Column("", "", NUMBER), Column("", "", FIGURE, digits=2)
# The figures in the order of Table 5: the name of each in a result, and what people call it.
FIGURES = (
    ("texts", _("Parallel texts")),
    ("words_formal", _("Running words, formal")),
    ("words_casual", _("Running words, casual")),
    ("types_formal", _("Vocabulary, formal")),
    ("types_casual", _("Vocabulary, casual")),
    ("types_both", _("Vocabulary in both")),
    ("bleu", _("Mean sentence BLEU")),
    ("jaccard", _("Mean Jaccard")),
)


@dataclass(frozen=True)
class ComparedRegisters:
    """Two registers of a language with the last comparison of them, if there is one."""

    formal: Target
    casual: Target
    job: Job | None

    @property
    def waits(self) -> bool:
        return self.job is not None and self.job.state in (Job.State.QUEUED, Job.State.RUNNING)

    @property
    def failed(self) -> bool:
        return self.job is not None and self.job.state in (Job.State.FAILED, Job.State.CANCELLED)

    @property
    def result(self) -> dict[str, Any]:
        return self.job.result if self.job is not None and self.job.state == Job.State.DONE else {}

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The figures by name, as people read them: counts whole, means as the paper has them."""
        return [
            (
                words,
                shown_value(WHOLE_COLUMN if isinstance(value := self.result.get(name), int) else MEAN_COLUMN, value),
            )
            for name, words in FIGURES
        ]

    @property
    def words(self) -> list[tuple[str, Target, list[tuple[str, int]]]]:
        """The words that one register alone has, most frequent first."""
        formal = gettext("Most frequent words of the formal register alone")
        casual = gettext("Most frequent words of the casual register alone")
        return [
            (formal, self.formal, self.result["only_formal"]),
            (casual, self.casual, self.result["only_casual"]),
        ]


@dataclass(frozen=True)
class Language:
    """A language with its targets, and the pairs of registers that are compared; the first is offered."""

    code: str
    name: str
    targets: list[Target]
    compared: list[ComparedRegisters]

    @property
    def offered(self) -> list[tuple[str, str, Target]]:
        """The fields in which registers are chosen: name, words, and what is chosen first."""
        first = self.compared[0]
        return [("formal", gettext("Formal"), first.formal), ("casual", gettext("Casual"), first.casual)]


def languages_with_registers(membership: Membership) -> list[Language]:
    """Every language in several registers: what was compared, or else the pair that is offered."""
    last, listed = fetch.latest_comparisons(membership.project), []
    for code, targets in fetch.register_pairs(membership.project).items():
        by_key = {target.key: target for target in targets}
        mine = [
            ComparedRegisters(by_key[formal], by_key[casual], job)
            for (formal, casual), job in sorted(last.items())
            if formal in by_key and casual in by_key
        ]
        name = next((target.name for target in targets if target.name), code)
        # Compared first are the formal one and the casual one by their names.
        formal_, casual_ = formal_first([target.register for target in targets])
        listed.append(
            Language(code, name, targets, mine or [ComparedRegisters(targets[formal_], targets[casual_], None)])
        )
    return listed


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def registers(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures of each language with registers; a lead chooses which is formal, and has them computed."""
    membership = membership_with_targets(request, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            formal, casual = request.POST.get("formal", ""), request.POST.get("casual", "")
            fetch.registers_compare(project=membership.project, formal=formal, casual=casual, by=membership.user)
            return redirect("registers", slug=slug)
        except Invalid as refusal:
            problem, status = refusal.code, 422
    listed = languages_with_registers(membership)
    waits = any(each.waits for language in listed for each in language.compared)
    part = request.headers.get("HX-Target") == "registers"
    template = "exports/aligned/partials/registers.html" if part else "exports/aligned/registers.html"
    more: dict[str, Any] = {"languages": listed, "waits": waits, "problem": problem}
    return page(request, membership, "registers", template, status=status, **more)


@login_required
@require_safe
def registers_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Figures and words as CSV: a row a figure, then a row a word of one register alone."""
    membership = membership_with_targets(request, slug)
    rows: list[tuple[object, ...]] = [("language", "formal", "casual", "figure", "word", "value", "computed")]
    for language in languages_with_registers(membership):
        for each in language.compared:
            if each.job is None or not each.result:
                continue
            head = (language.code, each.formal.key, each.casual.key)
            at = each.job.finished_at.isoformat() if each.job.finished_at else ""
            rows += [(*head, name, "", each.result[name], at) for name, _words in FIGURES]
            for name in ("only_formal", "only_casual"):
                rows += [(*head, name, word, n, at) for word, n in each.result[name]]
    return csv_answer(request, rows, f"{slug}-registers.csv")
