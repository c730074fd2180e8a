"""A description as people edit it: as a form or as YAML, with the same content in both, valid or not."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language, gettext

from annotation.tasks.rules.question import RESERVED_COLUMNS, localised_text
from annotation.tasks.rules.reading import (
    LONGEST_FILE,
    TaskRefused,
    as_yaml,
    mapping_in,
    task_as_yaml,
    task_from_plain,
)
from annotation.tasks.rules.task import Task
from annotation.text.line_breaks import plain_breaks
from annotation.ui.model_form.draft import (
    ALL_LANGUAGES,
    Draft,
    FieldNotShown,
    apply_button,
    draft_from_form,
    draft_from_plain,
    plain_from_draft,
    with_stored_breaks,
)
from annotation.ui.model_form.nodes import Drawing, Node, problems_by_node, titles_of_path

PREFIX = "task"
# Fields of the page: what is shown (form or YAML), what a button asks for, the YAML that the form was made from.
FORM_FIELD, DO_FIELD, TO_FIELD, WAS_FIELD, LANGUAGES_FIELD = "form", "do", "to", "yaml_was", "languages"
YAML = "yaml"
_LONGEST_KEY = 30


@dataclass
class Editor:
    """The description on the page: its YAML; where it is shown as a form, also what was typed (`draft`).

    `was` is the YAML that the form was made from: with its comments it comes back where nothing was changed.
    """

    text: str
    draft: Draft | None = None
    languages: Sequence[str] = ()
    focus: str = ""
    was: str = ""
    notice: str = ""
    nodes: list[Node] = field(default_factory=list)
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    """Of a form: id and title of the field that is wrong, and why."""

    def draw(self, problems: Sequence[str], *, beside: bool) -> None:
        """Make the nodes of the form; what is wrong stands `beside` its fields where somebody asked for it."""
        if self.draft is None:
            return
        drawing = Drawing(PREFIX, self.languages, {}, self._offered, self.focus)
        nodes = drawing.build_nodes(Task, self.draft)
        found: dict[str, list[str]] = {}
        for path, why in problems_by_node(problems, nodes):
            self.problems.append((f"f-{path}" if path else "", titles_of_path(path, nodes), why))
            found.setdefault(path, []).append(why)
        if beside:
            drawing.problems = found
            nodes = drawing.build_nodes(Task, self.draft)
        self.nodes = nodes

    def _offered(self, path: str, value: str) -> list[tuple[str, str]] | None:
        """The parts of the source that a question, or the writers, can be about."""
        name = path.rpartition(".")[2]
        if path != "authoring.writes" and not (path.startswith("questions.") and name in ("of", "between")):
            return None
        rows = (self.draft or {}).get("source", [])
        language = get_language() or "en"
        found = []
        for row in rows:
            if name == "of" and row["type"] == "texts":
                found += [(side["key"], _name(side, language)) for side in row["sides"]]
            elif row["type"] == "texts" if name == "between" else row["type"] not in ("image", "audio", "texts"):
                found.append((row["key"], _name(row, language)))
        return [(key, name) for key, name in found if key]


def _name(row: Mapping[str, Any], language: str) -> str:
    texts = {code: text for code, text in row["name"].items() if text.strip()}
    return (localised_text(texts, language) if texts else "") or row["key"]


def editor_of_text(text: str, *, as_form: bool) -> Editor:
    """The editor of a description in YAML; as YAML where a form cannot show it, and why."""
    if not as_form:
        return Editor(text)
    try:
        draft = _draft_in(text)
    except TaskRefused as refusal:
        return Editor(text, notice=refusal.problems[0])
    except FieldNotShown as unshown:
        words = gettext("The form has no field for “%(path)s”: change it here, or take it out.")
        return Editor(text, notice=words % {"path": str(unshown)})
    return Editor(text, draft, _languages("", draft), was=text)


def _draft_in(text: str) -> Draft:
    """A description in YAML as its form shows it. Raises TaskRefused, and FieldNotShown where it cannot."""
    return draft_from_plain(Task, {name: value for name, value in mapping_in(text).items() if name != "version"})


def editor_of_request(request: HttpRequest) -> Editor:
    """What was sent: a form, or YAML; with what a button did to it."""
    sent = request.POST
    if FORM_FIELD not in sent:
        return editor_of_text(sent.get("task", "")[: LONGEST_FILE + 1], as_form=sent.get(TO_FIELD) == FORM_FIELD)
    draft, was = draft_from_form(Task, sent.lists(), PREFIX), plain_breaks(sent.get(WAS_FIELD, "")[: LONGEST_FILE + 1])
    with suppress(TaskRefused, FieldNotShown):  # what was wrong before gives no texts
        draft = with_stored_breaks(draft, _draft_in(was) if was else None)
    name_keys(draft)
    focus = apply_button(Task, draft, sent[DO_FIELD]) if DO_FIELD in sent else ""
    text = _text(draft, was)
    if sent.get(TO_FIELD) == YAML:
        return Editor(text)
    return Editor(text, draft, _languages(sent.get(LANGUAGES_FIELD, ""), draft), focus, was)


def _text(draft: Draft, was: str) -> str:
    data = {"version": 1, **plain_from_draft(Task, draft, str(draft["language"]) or "en")}
    try:
        task = task_from_plain(data)
    except TaskRefused:
        return as_yaml(data)
    try:
        if was and task_from_plain(mapping_in(was)) == task:
            return was
    except TaskRefused:
        pass  # it was wrong before
    return task_as_yaml(task)


def _languages(typed: str, draft: Draft) -> list[str]:
    """The languages that texts are asked for in: those typed, and those in which there is a text."""
    codes = [code.strip() for code in typed.replace(",", " ").split()][:20]
    used = sorted(
        {code for texts in _texts_by_language(draft) for code, text in texts.items() if text and code != ALL_LANGUAGES}
    )
    return list(dict.fromkeys([*(codes or used or ["en", "id"]), *used]))


def _texts_by_language(value: Any) -> Iterable[Mapping[str, str]]:
    """Every text by language of a draft: mappings whose values are all texts, under the names of such fields."""
    if isinstance(value, list):
        for each in value:
            yield from _texts_by_language(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in ("name", "text", "help", "description", "low", "high") and isinstance(each, dict):
                yield each
            else:
                yield from _texts_by_language(each)


# --- keys that nobody gave ------------------------------------------------------------------


def name_keys(draft: Draft) -> None:
    """Give each part without a key one made of its name: people who know no files need not think of any."""
    columns = [
        *draft["source"],
        *(side for row in draft["source"] for side in row["sides"]),
        *draft["questions"],
    ]
    _name_rows(columns, RESERVED_COLUMNS, "text")
    for question in draft["questions"]:
        _name_rows(question["labels"], (), "label")
        _name_rows(question["criteria"], (), "criterion")


def _name_rows(rows: Sequence[Draft], taken: Iterable[str], usual: str) -> None:
    there = {*taken, *(row["key"].strip() for row in rows)}
    for row in rows:
        names = row.get("name") or row.get("text") or {}
        name = next((names[code] for code in ("en", ALL_LANGUAGES, *names) if names.get(code, "").strip()), "")
        if row["key"].strip() or not name:
            continue
        row["key"] = _free_key(_key_of(name) or usual, there)
        there.add(row["key"])


def _key_of(name: str) -> str:
    """Small letters and digits of the first words, joined by underscores."""
    plain_letters = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    parts = "".join(letter if letter.isalnum() else " " for letter in plain_letters).split()[:4]
    return "_".join(parts).lstrip("0123456789_")[: _LONGEST_KEY - 4].rstrip("_")


def _free_key(key: str, taken: Iterable[str]) -> str:
    n, found = 2, key
    while found in taken or found.endswith("_alt"):
        found, n = f"{key}_{n}", n + 1
    return found
