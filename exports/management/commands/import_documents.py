"""`manage.py import_documents PROJECT PATH…`: snippets drawn from documents, as premises or as a source set."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core import access
from annotation.core.models.project import Project
from annotation.text.sentences import CLASSES
from validation.imports.documents import (
    SnippetRequest,
    cut_snippets,
    provenance,
    snippet_lines,
    takes_documents,
)
from validation.imports.rules import FileRefused
from validation.imports.rules.documents import DOCUMENTS, ENDINGS, DocumentDefaults, file_ending
from validation.imports.rules.snippets import CANDIDATE_RULE_NAMES, DOCUMENT_RULE_NAMES, Report, SnippetRules
from validation.management.commands.import_items import column_field, project_of

# A source set of plain sentences: one text a row.
SHAPE = "sentence"


class Command(BaseCommand):
    """Draw snippets. Exit 0; 1 where fewer were found than asked for; 2 where nothing could be read."""

    help = "Draw sentences and paragraphs from documents (texts, JSONL, CSV, dumps of Wikipedia) into a project."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("paths", metavar="PATH", type=Path, nargs="+", help="files, or folders of files")
        parser.add_argument("--sample", metavar="N", type=int, default=100, help="how many snippets")
        parser.add_argument("--seed", default="", help="what they are drawn with; by default the project's seed")
        parser.add_argument(
            "--shares",
            default="single=60,double=25,paragraph=15",
            help="shares of single sentences, two sentences and paragraphs, in percent",
        )
        parser.add_argument("--per-document", type=int, default=5, help="most snippets of one document")
        parser.add_argument("--least-words", type=int, default=5)
        parser.add_argument("--most-words", type=int, default=200)
        for name in DocumentDefaults._fields:
            parser.add_argument(f"--{name}", default="", help="said of documents whose file does not say it")
        parser.add_argument("--map", metavar="COLUMN=FIELD", action="append", default=[], type=column_field)
        parser.add_argument("--out", metavar="FILE", type=Path, help="write the snippets there, store nothing")
        parser.add_argument("--source-set", metavar="KEY", default="", help="of a translation project: make this set")
        parser.add_argument("--dry-run", action="store_true", help="say what would be drawn, store nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, **options: Any) -> None:
        """Read, draw, report, and take the snippets in."""
        try:
            project = project_of(options["project"])
            self._check(project, options)
            wish = _snippet_request(project, options)
            files = list(_document_files(options["paths"]))
            by_hand = {field: column for column, _, field in (each.rpartition("=") for each in options["map"])}
            if strange := set(by_hand) - set(DOCUMENTS.fields):
                raise FileRefused("mapping_unknown", "There is no field %(name)s.", name=", ".join(strange))
            report = cut_snippets(project=project, files=files, wish=wish, by_hand=by_hand)
        except (FileRefused, OSError) as refused:
            raise CommandError(ascii(str(refused))[1:-1], returncode=2) from None
        self._print(report, as_json=options["json"])
        if report.taken and not options["dry_run"]:
            self._take(project, wish, report, options, [name for _, name in files])
        missing = sum(report.asked.values()) - len(report.taken)
        if missing:
            raise CommandError(f"snippets missing: {missing}", returncode=1 if report.taken else 2)

    def _check(self, project: Project, options: dict[str, Any]) -> None:
        wants_set = access.has_targets(project)
        if not options["out"] and not options["dry_run"] and wants_set != bool(options["source_set"]):
            message = "Say which set to make: --source-set KEY" if wants_set else "--source-set is for translations."
            raise FileRefused("documents_set", message)
        if not (wants_set or takes_documents(project) or options["out"]):
            raise FileRefused("documents_unlike", "Nothing is written for texts in this project: use --out FILE.")

    def _take(
        self,
        project: Project,
        wish: SnippetRequest,
        report: Report,
        options: dict[str, Any],
        names: list[str],
    ) -> None:
        told = provenance(wish, report, [{"name": name} for name in names])
        with tempfile.TemporaryDirectory() as folder:
            path = options["out"] or Path(folder) / f"{Path(names[0]).name} snippets.jsonl"
            keyed = bool(options["source_set"])
            path.write_bytes(b"".join(_source_set_rows(report) if keyed else snippet_lines(report.taken)))
            if options["out"]:
                return
            out = self.stderr if options["json"] else self.stdout
            quiet = {"stdout": out, "stderr": self.stderr, "documents": told}
            if keyed:
                call_command("import_source_set", project.slug, path, key=options["source_set"], shape=SHAPE, **quiet)
            else:
                call_command("import_items", project.slug, path, **quiet)

    def _print(self, report: Report, *, as_json: bool) -> None:
        counts = report.counts()
        if as_json:
            self.stdout.write(
                json.dumps(
                    {**counts, "examples": report.examples, "documents_by_rule": report.documents_by_rule}, indent=2
                )
            )
            return
        for name in ("documents", "documents_used", "sentences", "candidates"):
            self.stdout.write(f"{name}: {counts[name]}")
        for name in CLASSES:
            self.stdout.write(f"{name}: {counts['taken'][name]} of {counts['asked'][name]}")
        for words, found in (
            (DOCUMENT_RULE_NAMES, counts["documents_left"]),
            (CANDIDATE_RULE_NAMES, counts["candidates_left"]),
        ):
            for rule, said in words.items():
                if found.get(rule):
                    self.stdout.write(f"left out, {rule}: {found[rule]} ({said})")
                    for name in report.documents_by_rule.get(rule, ()):
                        self.stdout.write(f"  {ascii(name)[1:-1]}")


def _snippet_request(project: Project, options: dict[str, Any]) -> SnippetRequest:
    try:
        shares = {name: int(share) for name, share in (each.split("=") for each in options["shares"].split(","))}
    except ValueError:
        shares = {"": 0}
    if not set(shares) <= set(CLASSES):
        raise FileRefused("snippet_rules", "Shares are written single=60,double=25,paragraph=15.")
    rules = SnippetRules(
        n=options["sample"],
        **{**dict.fromkeys(CLASSES, 0), **shares},
        per_document=options["per_document"],
        least_words=options["least_words"],
        most_words=options["most_words"],
        seed=options["seed"].strip() or project.seed,
    )
    return SnippetRequest(rules, DocumentDefaults(*(options[name] for name in DocumentDefaults._fields)))


def _document_files(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """The files of documents below these paths, by name; of a folder no hidden ones and no links."""
    found = False
    for path in paths:
        if path.is_dir():
            for each in sorted(path.rglob("*")):
                inside = each.relative_to(path)
                hidden = any(part.startswith(".") for part in inside.parts)
                if each.is_file() and not each.is_symlink() and not hidden and file_ending(each.name) in ENDINGS:
                    found = True
                    yield each, inside.as_posix()
        else:
            found = True
            yield path, path.name
    if not found:
        raise FileRefused("documents_none", "There are no files of documents: they end in %(e)s.", e=", ".join(ENDINGS))


def _source_set_rows(report: Report) -> Iterator[bytes]:
    """The snippets as rows of a source set: each has an id, by its document and place."""
    for n, (taken, line) in enumerate(zip(report.taken, snippet_lines(report.taken), strict=True), start=1):
        row = json.loads(line)
        row["text"] = row.pop("premise")
        row = {"id": f"s{n}-{taken.snippet.place}", **row}
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
