"""A row of a team's own task: the item's texts by column, or the source of writers.

Only what cannot be stored or drawn is refused: a text that is missing or too long, an address that is not https, a
file that was not sent, a dialogue or a table row that is none.
"""

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import orjson

from annotation.answers import ShownItem
from annotation.kinds.rendered_texts import LIST_WIDGETS, MEDIA_WIDGETS, list_entries, list_text
from annotation.kinds.texts import text_at
from annotation.media.rules.files import name_form, use_of
from annotation.tasks.rules.kind import GROUP, SOURCE_FIELDS, field_of, names_of
from annotation.tasks.rules.question import localised_text
from annotation.tasks.rules.task import SourceField, Task
from annotation.text.gettext import gettext_noop
from validation.imports.rules.cells import (
    LONGEST_LABEL,
    Cells,
    check_storable,
    read_label,
    read_short_text,
    read_whole_text,
    same_hash,
)
from validation.imports.rules.columns import PLAIN_ID, SPLIT, SPLIT_HELP, SPLIT_NAMES, ColumnMapping, Columns
from validation.imports.rules.json_values import number_text, parse_literal
from validation.imports.rules.pairs import UNKNOWN_LABEL, PremiseRow
from validation.imports.rules.people import Answer
from validation.imports.rules.problems import FileRefused, RowRefused, excerpt
from validation.imports.rules.task_votes import IDS, VOTES, VoteCells, answer_columns

ID, AUTHOR, AUTHOR_LABEL = "id", "author", "author_label"
LONGEST_ADDRESS = 2000
# What chats of models call a speaker and what is said.
CHAT_NAMES = (("role", "content"), ("from", "value"))


def columns_of(task: Task) -> Columns:
    """The fields that files can have: an id, a group, the task's columns, and who wrote what where writers write."""
    names = names_of(task)
    own = {column: (column,) for column in task.columns}
    aliases: dict[str, tuple[str, ...]] = {ID: (PLAIN_ID, "item_id", "uid", "key"), **own}
    helps = {ID: gettext_noop("What the item is called; made from its texts where there is none.")}
    for column in task.columns:
        helps[column] = _help(field_of(task, column), column, localised_text(names[column], "en"))
    aliases[GROUP] = (GROUP, "document", "document_id")
    helps[GROUP] = gettext_noop("Items of one group stay in one split.")
    aliases.setdefault(SPLIT, SPLIT_NAMES)
    helps.setdefault(SPLIT, SPLIT_HELP)
    if task.authoring is not None:
        aliases |= {AUTHOR: (AUTHOR, "writer", "author_id"), AUTHOR_LABEL: (AUTHOR_LABEL, "label")}
        helps[AUTHOR] = gettext_noop("Who wrote the text.")
        helps[AUTHOR_LABEL] = gettext_noop("The label that the writer gave; unknown where there is none.")
        if task.authoring.label == "none":
            del aliases[AUTHOR_LABEL], helps[AUTHOR_LABEL]
    aliases |= {field: (field,) for field in (VOTES, IDS, *answer_columns(task))}
    helps[VOTES] = gettext_noop("The votes in order: labels, or objects of annotator and answers.")
    helps[IDS] = gettext_noop("Who answered, in the order of the columns of answers.")
    helps |= dict.fromkeys(answer_columns(task), gettext_noop("Everybody's answers to this question, in one list."))
    wanted = [column for field in task.given if field.required for column in field.columns]

    def needed(mapping: ColumnMapping, columns: str) -> FileRefused | None:
        missing = [column for column in wanted if column not in mapping]
        if not missing:
            return None
        message = gettext_noop("No column is taken for %(missing)s: say which one it is. The columns: %(columns)s.")
        return FileRefused("source_columns", message, missing=", ".join(missing), columns=columns)

    def read(mapping: ColumnMapping) -> Collection[str]:
        beside = {IDS, *answer_columns(task)} if VOTES in mapping else set()
        return [field for field in mapping if field not in beside]

    return Columns(aliases, helps, lambda found, by_name: None, needed, fields_read=read, ids=(ID, GROUP, AUTHOR))


def _help(field: SourceField, column: str, name: str) -> str:
    """What a column holds, for the page that matches columns."""
    if column.endswith("_alt") and field.type == "audio":
        return gettext_noop("What is heard, for those who do not hear it.")
    if column.endswith("_alt"):
        return gettext_noop("What the image shows, for those who do not see it.")
    texts = {
        "image": gettext_noop("The name of a file that was sent, or an address that begins with https://."),
        "audio": gettext_noop("The name of a file that was sent, or an address that begins with https://."),
        "table": gettext_noop("A JSON object of column and value, or lines of “column: value”."),
        "dialogue": gettext_noop("A JSON list of speaker and text, or lines of “speaker: text”."),
    }
    return texts.get(field.type, name)


@dataclass(slots=True)
class TaskRow:
    """An item: what it was made from, its content, who wrote it; `same` is what makes two items the same texts.

    `words` that people are shown, checks that it `failed` and the places of `surplus` votes are found out
    later.
    """

    n: int
    key: str
    premise: PremiseRow
    content: dict[str, Any]
    author: str
    author_label: str
    same: str
    votes: tuple[Answer, ...] = ()
    words: int = 0
    failed: tuple[str, ...] = ()
    surplus: frozenset[int] = frozenset()
    split: str = ""


def sameness_key(content: Mapping[str, Any]) -> str:
    """What makes two items the same: all of their texts."""
    names = sorted(name for name, text in content.items() if name != GROUP and text)
    hashes = [[name, same_hash(text_at(content, name))] for name in names]
    return sha256(orjson.dumps(hashes)).hexdigest()


class TaskReader(Cells["TaskRow | PremiseRow"]):
    """Reads records of one task under one mapping. `whole`: rows are items; else they are what writers start from.

    `media` are the references of images and sounds that were sent, by the names that rows call them; `shown` are those
    that a row has named so far.
    """

    def __init__(
        self,
        mapping: Mapping[str, str],
        task: Task,
        aliases: Mapping[str, str],
        media: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(mapping)
        self._media, self.shown = media or {}, set[str]()
        self.task, self._aliases, self._votes = task, aliases, VoteCells(mapping, task)
        self.reads_split &= SPLIT not in task.columns
        written = task.authoring.writes if task.authoring else None
        self.whole = written is None or written in mapping
        self._fields = [(field, column) for field in task.source for column in field.columns]
        self._given = [(field, column) for field, column in self._fields if field.key != written]

    def _source(self, n: int, data: Mapping[str, Any]) -> PremiseRow:
        return self._premise(
            n, self._texts(data, self._given), self._id(data, ID), self._id(data, GROUP, in_addresses=False)
        )

    def _premise(self, n: int, stored: Mapping[str, Any], key: str, group: str) -> PremiseRow:
        """What an item is made from, named by the file or by its text: the first one, or all that a writer reads."""
        texts = {column: text_at(stored, column) for column in stored}
        first = texts.get(self.task.first_text) or next(iter(texts.values()), "")
        if not self.whole:
            first = "\n\n".join(texts.values())
        if not first:
            raise RowRefused("missing", self.task.first_text, gettext_noop("The text is missing."))
        digest = same_hash(first)
        extra: dict[str, Any] = {} if self.whole else {SOURCE_FIELDS: dict(stored)}
        return PremiseRow(n, key or f"t-{digest[:20]}", first, digest, "", group, extra, not key)

    def _item(self, n: int, data: Mapping[str, Any]) -> TaskRow:
        texts, group = self._texts(data, self._fields), self._id(data, GROUP, in_addresses=False)
        given = {column: texts[column] for _, column in self._given if column in texts}
        premise = self._premise(n, given, "", group)
        same = sameness_key(texts)
        label = self._author_label(data) if AUTHOR_LABEL in self.mapping else ""
        author = self._person(data, AUTHOR)
        key = self._id(data, ID) or f"i-{sha256(f'{same}:{label}'.encode()).hexdigest()[:20]}"
        content = {**texts, GROUP: group or premise.key}
        spoken = {column: text_at(texts, column) for column in texts}
        votes = self._votes.read(data, ShownItem(spoken)) if self._votes.there else ()
        if author and any(vote.name == author for vote in votes):
            raise RowRefused("vote_own", VOTES, gettext_noop("The author votes on the own item."))
        return TaskRow(n, key, premise, content, author, label, same, votes)

    def _author_label(self, data: Mapping[str, Any]) -> str:
        value = self._value(data, AUTHOR_LABEL)
        label = "" if value is None else read_short_text(value, AUTHOR_LABEL, LONGEST_LABEL)
        if label in ("", UNKNOWN_LABEL):
            return ""
        key = read_label(label, self._aliases, AUTHOR_LABEL)
        if key is None:
            message = gettext_noop("“%(label)s” is no label here.")
            raise RowRefused("label_unknown", AUTHOR_LABEL, message, label=excerpt(label, 40))
        return key

    def _texts(self, data: Mapping[str, Any], fields: list[tuple[SourceField, str]]) -> dict[str, Any]:
        """What is stored of a row by column: texts, dialogues and table rows as lists."""
        found = dict[str, Any]()
        for field, column in fields:
            value = data.get(self.mapping[column]) if column in self.mapping else None
            if value is None or value == "" or value == [] or value == {}:
                # What an image or a sound holds, in words, is needed wherever there is one.
                shown = column.endswith("_alt") and column.removesuffix("_alt") in found
                if field.required or shown:
                    raise RowRefused("missing", column, gettext_noop("The text is missing."))
                continue
            found[column] = (self._list_of if field.type in LIST_WIDGETS else self._text_of)(field, column, value)
        return found

    def _list_of(self, field: SourceField, column: str, value: Any) -> list[dict[str, Any]]:
        entries, further = _read_list(value, column, field.type)
        self.left.update(dict.fromkeys(f"{column}.{name}" for name in sorted(further)))
        check_storable(read_whole_text(list_text(entries), column), column, field.max_length)
        return entries

    def _text_of(self, field: SourceField, column: str, value: Any) -> str:
        if field.type in MEDIA_WIDGETS and not column.endswith("_alt"):
            return self._media_of(field, column, value)
        if isinstance(value, (int, float)):
            value = number_text(value)
        text = read_whole_text(value, column)
        check_storable(text, column, field.max_length)
        return text

    def _media_of(self, field: SourceField, column: str, value: Any) -> str:
        """The address of a file, or the reference of one that was sent."""
        name = read_whole_text(value, column).strip()
        if field.hosts and "://" in name:
            return _address(name, column, field.hosts)
        reference = self._media.get(name_form(name))
        if reference is None:
            message = gettext_noop(
                "There is no file “%(name)s” among those sent: send it in a ZIP file, or correct its name here."
            )
            if "://" in name:
                message = gettext_noop(
                    "“%(name)s” cannot be loaded from elsewhere: send the file in a ZIP file and name it here, or "
                    "name its host in the task."
                )
            raise RowRefused("media_missing", column, message, name=excerpt(name, 60))
        if use_of(reference.rpartition(".")[2]) != field.type:
            message = gettext_noop("“%(name)s” is a file of another sort: name one of the sort %(sort)s.")
            raise RowRefused("media_other", column, message, name=excerpt(name, 60), sort=field.type)
        self.shown.add(reference)
        return reference


def _address(value: Any, column: str, hosts: Collection[str]) -> str:
    """An https address without a name or password in it."""
    address = read_whole_text(value, column).strip()
    message = gettext_noop(
        "“%(address)s” is no address of a file; it begins with https:// and has no blank, name or password."
    )
    try:
        parts = urlsplit(address)
        right = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
        right = right and parts.port is not False and not set(address) & set(" \t\r\n<>\"'`\\")
    except ValueError:
        right = False
    if not right or len(address) > LONGEST_ADDRESS:
        raise RowRefused("address_wrong", column, message, address=excerpt(address, 60))
    if parts.hostname not in hosts:
        message = gettext_noop("“%(host)s” is no host that the task names; it names %(hosts)s.")
        params = {"host": excerpt(str(parts.hostname), 60), "hosts": ", ".join(hosts)}
        raise RowRefused("host_unknown", column, message, **params)
    return address


def _read_list(value: Any, column: str, widget: str) -> tuple[list[dict[str, Any]], set[str]]:
    """A dialogue or a table row as it is stored: from a list, a mapping, or a text that holds either or has lines.

    Beside it the names of what else its entries hold.
    """
    names, further = LIST_WIDGETS[widget], set[str]()
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        with contextlib.suppress(ValueError):
            value = parse_literal(value)
    if isinstance(value, str):
        return list_entries(value, widget), further
    if isinstance(value, dict) and names[0] not in value:
        value = list(map(list, value.items()))
    try:
        entries = [_entry(entry, names, further) for entry in value] if isinstance(value, list) else []
    except (TypeError, ValueError):
        entries = []
    if not entries:
        message = gettext_noop(
            "This has to be a list of %(first)s and %(second)s, or lines of “%(first)s: %(second)s”."
        )
        raise RowRefused("wrong_type", column, message, first=names[0], second=names[1])
    return entries, further


def _entry(entry: Any, names: tuple[str, str], further: set[str]) -> dict[str, Any]:
    """One turn, or one cell; `further` takes the names of what else it holds. Raises an error where it is neither."""
    if isinstance(entry, dict):
        known = next((spelt for spelt in (names, *CHAT_NAMES) if spelt[0] in entry), names)
        further.update(entry.keys() - set(known))
        entry = [entry.get(name) for name in known]
    if not isinstance(entry, list):
        raise TypeError
    name, text = (number_text(part) if isinstance(part, (int, float)) else part for part in entry)
    if not isinstance(name, str) or not isinstance(text, str | None):
        raise TypeError
    return {names[0]: name, names[1]: text}
