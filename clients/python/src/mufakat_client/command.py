"""The `mufakat` command: the same verbs as the client. Rows go out, and come in, as JSON Lines.

Ends with 0; with 1 where the server refused or a row was refused; with 2 for a wrong call (argparse).
"""

import argparse
import contextlib
import csv
import getpass
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from mufakat_client.client import BATCH, Client
from mufakat_client.errors import MufakatError
from mufakat_client.tokens import keep_token
from mufakat_client.transport import Transport

Run = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Raises SystemExit for a wrong call."""
    given = parser().parse_args(arguments)
    run: Run = given.run
    try:
        return run(given)
    except MufakatError as error:
        print(f"mufakat: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read the rows has enough
        with contextlib.suppress(OSError):
            sys.stdout.close()
        return 0


def parser() -> argparse.ArgumentParser:
    """Every command with what it takes."""
    whole = argparse.ArgumentParser(prog="mufakat", description="Mufakat's REST API from the command line.")
    whole.add_argument("--url", help="the server's address (else MUFAKAT_URL, or the first that was logged in to)")
    whole.add_argument("--token", help=argparse.SUPPRESS)  # on a shared machine others see command lines
    verbs = whole.add_subparsers(required=True, metavar="COMMAND")

    login = verbs.add_parser("login", help="keep a token for an address; it is asked for, and not shown")
    login.add_argument("address")
    login.set_defaults(run=_login)
    verbs.add_parser("me", help="who the token belongs to").set_defaults(run=_me)
    verbs.add_parser("projects", help="the projects that you belong to").set_defaults(run=_projects)

    items = verbs.add_parser("items", help="items of a project").add_subparsers(required=True, metavar="VERB")
    _add_list_command(items, "list", "items as JSON Lines, page by page", lambda project: project.items.list)
    _add_list_command(items, "export", "all items as one stream of JSON Lines", lambda project: project.items.export)
    _add_push_command(items, "items")
    sources = verbs.add_parser("sources", help="what is written for").add_subparsers(required=True, metavar="VERB")
    _add_list_command(sources, "list", "sources as JSON Lines", lambda project: project.sources.list)
    _add_push_command(sources, "sources")
    members = verbs.add_parser("members", help="people of a project").add_subparsers(required=True, metavar="VERB")
    _add_list_command(members, "list", "members as JSON Lines", lambda project: project.members.list)

    _add_release_commands(verbs.add_parser("releases", help="frozen data sets"))
    return whole


def _add_release_commands(whole: argparse.ArgumentParser) -> None:
    """The commands that freeze releases and bring their files."""
    releases = whole.add_subparsers(required=True, metavar="VERB")
    _add_list_command(releases, "list", "releases as JSON Lines", lambda project: project.releases.list)
    freeze = releases.add_parser("freeze", help="freeze a release and wait until its files are there")
    freeze.add_argument("project")
    freeze.add_argument("--rules", help="a JSON file with the release's rules; without it those of the project")
    freeze.add_argument(
        "--confirm", action="append", default=[], help="what the release asks to be confirmed; again for more"
    )
    freeze.set_defaults(run=_freeze)
    pull = releases.add_parser("pull", help="download every file of a release; run again, it goes on")
    pull.add_argument("project")
    pull.add_argument("number", type=int)
    pull.add_argument("folder", type=Path)
    pull.set_defaults(run=_pull)


def _add_list_command(verbs: Any, name: str, words: str, method: Callable[[Any], Callable[..., Iterator[Any]]]) -> None:
    """A command that writes a list."""
    command = verbs.add_parser(name, help=words)
    command.add_argument("project")
    command.add_argument("--filter", action="append", default=[], metavar="NAME=VALUE", type=_filter)

    def run(given: argparse.Namespace) -> int:
        with _client(given) as client:
            for row in method(client.project(given.project))(**dict(given.filter)):
                _write(row)
        return 0

    command.set_defaults(run=run)


def _add_push_command(verbs: Any, name: str) -> None:
    """A command that sends the rows of a file."""
    command = verbs.add_parser("push", help="send rows of a JSON Lines or CSV file; keys that are there are changed")
    command.add_argument("project")
    command.add_argument("file", help="a file, or - for standard input (JSON Lines)")
    command.add_argument("--batch", type=int, default=BATCH, help=f"rows a request (default {BATCH})")

    def run(given: argparse.Namespace) -> int:
        refused = 0
        with _client(given) as client, _rows(given.file) as rows:
            resource = getattr(client.project(given.project), name)
            for result in resource.upsert(rows, batch=given.batch, progress=_print_progress("rows")):
                if result["status"] == "refused":
                    refused += 1
                    _write(result)
        print(f"Rows that were refused: {refused}." if refused else "No row was refused.", file=sys.stderr)
        return 1 if refused else 0

    command.set_defaults(run=run)


def _filter(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=VALUE, as in stage=settled")
    return name, value


@contextlib.contextmanager
def _rows(name: str) -> Iterator[Iterator[Mapping[str, Any]]]:
    """The rows of a file: CSV where its name ends so, else JSON Lines."""
    if name == "-":
        yield _json_lines(sys.stdin)
        return
    with Path(name).open(encoding="utf-8-sig", newline="") as file:
        yield _csv_rows(file) if name.endswith(".csv") else _json_lines(file)


def _csv_rows(file: TextIO) -> Iterator[Mapping[str, Any]]:
    """The rows of a sheet, without what spreadsheets add: `sep=;`, rows of separators, columns without a name."""
    first = file.readline()
    said = re.fullmatch(r'"?sep=([^"\r\n])"?[,;\t|]*\r?\n?', first, re.IGNORECASE)
    if said is None:
        file.seek(0)
    bare = re.sub(r'"[^"]*(?:"|$)', "", first)
    sheet = csv.reader(file, delimiter=said[1] if said else max(",;\t|", key=bare.count), strict=True)
    names = [name.strip() for name in next(sheet, [])]
    if "mufakat_guarded" in names:
        raise MufakatError("This is a copy for spreadsheets. Push the data file, or import the copy on the page.")
    for cells in sheet:
        if not any(cell.strip() for cell in cells):
            continue
        named = {name: cell for name, cell in zip(names, cells, strict=False) if name}
        nameless = [cell for place, cell in enumerate(cells) if place >= len(names) or not names[place]]
        if len(named) < len(list(filter(None, names))) or any(cell.strip() for cell in nameless):
            line = sheet.line_num
            raise MufakatError(f"The cells of line {line} do not fit the header. The lines before it were sent.")
        yield named


def _json_lines(file: Any) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise MufakatError(f"Line {number} is no JSON: {error}. The lines before it were sent.") from error
        if not isinstance(row, dict):
            raise MufakatError(f"Line {number} is no JSON object. The lines before it were sent.")
        yield row


def _client(given: argparse.Namespace) -> Client:
    return Client(given.url, given.token)


def _write(row: Mapping[str, Any]) -> None:
    print(json.dumps(row, ensure_ascii=False))


def _print_progress(what: str) -> Callable[[int], None]:
    """Say on standard error how far it is."""
    return lambda n: print(f"{n} {what}", file=sys.stderr)


def _login(given: argparse.Namespace) -> int:
    token = getpass.getpass("Token (from Account → API tokens): ").strip()
    transport = Transport(given.address, token)
    try:
        me = transport.get("me")
    finally:
        transport.close()
    path = keep_token(given.address, token)
    print(f"Logged in as {me['email']}. The token is kept in {path}.")
    return 0


def _me(given: argparse.Namespace) -> int:
    with _client(given) as client:
        _write(client.me())
    return 0


def _projects(given: argparse.Namespace) -> int:
    with _client(given) as client:
        for row in client.projects.list():
            _write(row)
    return 0


def _freeze(given: argparse.Namespace) -> int:
    rules = json.loads(Path(given.rules).read_text("utf-8")) if given.rules else {}
    with _client(given) as client:
        _write(client.project(given.project).releases.freeze(confirm=given.confirm, **rules))
    return 0


def _pull(given: argparse.Namespace) -> int:
    with _client(given) as client:
        stored = client.project(given.project).releases.download(
            given.number, given.folder, progress=lambda path: print(path, file=sys.stderr)
        )
    print(f"{len(stored)} files, each compared with its SHA-256.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
