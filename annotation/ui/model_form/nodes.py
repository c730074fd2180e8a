"""A draft for the template (templates/partials/model_form): nodes with names, values and errors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext
from pydantic import BaseModel

from annotation.core.rules.model_fields import ModelField, fields_of, title_of
from annotation.ui.model_form.draft import ALL_LANGUAGES, typed_value

Choices = Sequence[tuple[str, str]]
OfferChoices = Callable[[str, str], Choices | None]
"""What can be chosen for a text that names something else of the draft, by its path and its present value."""


@dataclass
class Node:
    """A control, or what controls stand in. `hidden`: its type does not ask for it, and what was typed is kept."""

    path: str
    name: str
    form: str
    title: str
    help: str = ""
    value: Any = ""
    required: bool = False
    max_length: int | None = None
    default: Any = ""
    """What stands there by itself."""
    choices: list[tuple[str, str, bool]] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    hidden: bool = False
    focused: bool = False
    asked: bool = False
    """Whether it is asked because its type needs it."""
    singular: str = ""
    """Of rows: what one of them is called."""
    number: int = 0
    last: bool = False
    """Of a row: its number from 1, and whether it is the last one."""

    @property
    def is_type_choice(self) -> bool:
        """Whether it says which of its siblings are asked."""
        return self.path.endswith(".type")

    @property
    def is_area(self) -> bool:
        """Whether it is drawn as an area: a browser takes the breaks out of what stands in a line."""
        return self.form == "area" or (self.form == "line" and "\n" in str(self.value))

    @property
    def id(self) -> str:
        """The id of its control or heading."""
        return f"f-{self.path}"

    @property
    def has_errors(self) -> bool:
        """Whether something in it is refused."""
        return bool(self.errors) or any(child.has_errors for child in self.children)

    @property
    def is_filled(self) -> bool:
        """Whether anything in it was typed or chosen otherwise than it is by itself."""
        if self.form in ("part", "told", "rows"):
            return any(child.is_filled or child.form == "row" for child in self.children)
        return bool(self.value != self.default)

    @property
    def is_open(self) -> bool:
        """Whether a part that can be closed is open: something in it is refused, or typed, or has to be."""
        return self.has_errors or self.is_filled or self.required or self.asked


@dataclass
class Drawing:
    """What a form is drawn with: the prefix of its names, languages of its texts, problems by path, where to type."""

    prefix: str
    languages: Sequence[str]
    problems: Mapping[str, Sequence[str]]
    offered_choices: OfferChoices
    focus: str = ""

    def build_nodes(self, model: type[BaseModel], draft: Mapping[str, Any], path: str = "") -> list[Node]:
        """The nodes of a model's fields."""
        kind = str(draft.get("type", ""))
        drawn = []
        for each in fields_of(model):
            if each.form != "constant":
                node = self._node(each, draft.get(each.name), f"{path}.{each.name}" if path else each.name)
                node.hidden = not each.is_asked_for(kind)
                node.asked = bool(each.asked_for_types) and not node.hidden
                drawn.append(node)
        if drawn and path and path == self.focus:
            first = drawn[0].children[0] if drawn[0].form == "told" else drawn[0]
            first.focused = True
        return drawn

    def _node(self, each: ModelField, value: Any, path: str) -> Node:
        node = Node(path, f"{self.prefix}.{path}", each.form, each.title, each.help, value, each.required)
        node.errors, node.max_length = list(self.problems.get(path, ())), each.max_length
        node.default = typed_value(each, each.default)
        if each.form == "part" and each.model:
            node.children = self.build_nodes(each.model, value or {}, path)
        elif each.form == "rows" and each.model:
            node.singular = title_of(each.model)
            node.focused = path == self.focus
            node.children = [self._row(each.model, row, path, n, len(value)) for n, row in enumerate(value or ())]
        elif each.form == "told":
            node.children = self._told(node, value or {})
        elif each.form in ("choice", "ticks"):
            chosen = value if isinstance(value, list) else [value or node.default]
            node.choices = [(choice, choice, choice in chosen) for choice in each.choices]
            self._beyond(node, value if isinstance(value, str) else "")
        elif each.form == "line" and (offered := self.offered_choices(path, str(value or ""))) is not None:
            node.form = "choice"
            node.choices = [(key, words, key == value) for key, words in offered]
            self._beyond(node, str(value or ""))
        return node

    def _beyond(self, node: Node, value: str) -> None:
        """What was chosen and is not offered any more stays, and is refused by name; a blank where none was."""
        if value and not any(chosen for *_, chosen in node.choices):
            node.choices.append((value, value, True))
        if node.form == "choice" and not node.default:
            node.choices.insert(0, ("", "–", not value))

    def _row(self, model: type[BaseModel], row: Mapping[str, Any], above: str, n: int, many: int) -> Node:
        path = f"{above}.{n}"
        node = Node(path, f"{self.prefix}.{path}", "row", title_of(model), number=n + 1, last=n + 1 == many)
        node.children = self.build_nodes(model, row, path)
        node.errors = list(self.problems.get(path, ()))
        return node

    def _told(self, node: Node, texts: Mapping[str, str]) -> list[Node]:
        """A line for each language; one for all where there is such a text."""
        codes = list(dict.fromkeys([*([ALL_LANGUAGES] if ALL_LANGUAGES in texts else []), *self.languages, *texts]))
        drawn = []
        for code in codes:
            path = f"{node.path}.{code}"
            form = "area" if node.max_length and node.max_length > 1000 else "line"
            child = Node(
                path,
                f"{self.prefix}.{path}",
                form,
                code,
                value=texts.get(code, ""),
                max_length=node.max_length,
            )
            child.errors = list(self.problems.get(path, ()))
            drawn.append(child)
        return drawn


def problems_by_node(problems: Sequence[str], nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """Sentences that begin with a path and a colon: the path of the nearest node, empty where none is, and the rest."""
    there = set[str]()
    _paths(nodes, there)
    found = []
    for problem in problems:
        path, _colon, words = problem.partition(": ")
        while path and path not in there:
            path = path.rpartition(".")[0]
        found.append((path, words if path else problem))
    return found


def _paths(nodes: Sequence[Node], found: set[str]) -> None:
    for node in nodes:
        found.add(node.path)
        _paths(node.children, found)


def titles_of_path(path: str, nodes: Sequence[Node]) -> str:
    """The titles that lead to a node, such as “Question 1 → Label 2 → Key”."""
    for node in nodes:
        if path == node.path:
            return f"{gettext(node.title)} {node.number or ''}".strip()
        if path.startswith(f"{node.path}."):
            # The rows say themselves what they are.
            own = "" if node.form == "rows" else f"{gettext(node.title)} {node.number or ''}".strip()
            inner = titles_of_path(path, node.children)
            return " → ".join(filter(None, (own, inner)))
    return ""
