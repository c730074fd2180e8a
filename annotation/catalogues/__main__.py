"""`python -m annotation.catalogues update | compile | check | export | take | status`."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from annotation.catalogues import FALLBACKS, ROOT, po_file


def update(_: argparse.Namespace) -> int:
    """Merge the sources' strings into every language's catalogue, and compile."""
    from annotation.catalogues.files import expected_file, save_if_changed
    from annotation.catalogues.reading import extract_strings

    source = extract_strings()
    for language in FALLBACKS:
        if save_if_changed(po_file(language), expected_file(language, source)):
            print(f"→ {po_file(language).relative_to(ROOT)}")
    return compile_command(_)


def compile_command(_: argparse.Namespace) -> int:
    """Compile the catalogues that have changed since the last time."""
    from annotation.catalogues.compiling import compile_stale

    if done := compile_stale():
        print(f"→ Compiled the interface in {', '.join(done)}")
    return 0


def check(options: argparse.Namespace) -> int:
    """Say what is wrong with translations: placeholders, tags, forms, edges; status 1 if anything is."""
    from annotation.catalogues.checking import wrong_translations

    found = [fault for language in options.languages or FALLBACKS for fault in wrong_translations(language)]
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


def export(options: argparse.Namespace) -> int:
    """Write what a language lacks into so many files, as large as each other."""
    from annotation.catalogues import parts
    from annotation.catalogues.files import full_catalogue, read

    others = {language: read(po_file(language), language) for language in FALLBACKS}
    catalog = full_catalogue(options.language)
    options.folder.mkdir(parents=True, exist_ok=True)
    files = parts.export(catalog, options.language, options.parts, others)
    for number, content in enumerate(files, 1):
        path = options.folder / f"{options.language}-{number:02}.json"
        path.write_text(content, encoding="utf-8")
        print(path)
    return 0


def take(options: argparse.Namespace) -> int:
    """Put translated files into a language's catalogue; what is wrong is left out and said, with status 1."""
    from annotation.catalogues import parts
    from annotation.catalogues.files import catalogue_as_bytes, full_catalogue, save_if_changed

    catalog = full_catalogue(options.language)
    refused = list(parts.take_translations(catalog, options.files))
    save_if_changed(po_file(options.language), catalogue_as_bytes(catalog))
    for name, english, why in refused:
        print(f"{name}: “{english}” {why}", file=sys.stderr)
    return 1 if refused else compile_command(options)


def status(_: argparse.Namespace) -> int:
    """How much of each language is translated."""
    from annotation.catalogues.files import full_catalogue, is_translated
    from annotation.catalogues.reading import extract_strings

    source = extract_strings()
    for language in FALLBACKS:
        messages = [message for message in full_catalogue(language, source) if message.id]
        print(f"{language}\t{sum(map(is_translated, messages))}\t{len(messages)}")
    return 0


def main() -> int:
    """Read the command line and do as it says."""
    parser = argparse.ArgumentParser(prog="python -m annotation.catalogues", description=__doc__)
    steps = parser.add_subparsers(required=True)

    def step(name: str, does: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        made = steps.add_parser(name, help=does.__doc__)
        made.set_defaults(does=does)
        return made

    step("update", update)
    step("compile", compile_command)
    step("status", status)
    step("check", check).add_argument("languages", nargs="*", metavar="LANGUAGE")
    exporting, taking = step("export", export), step("take", take)
    for each in (exporting, taking):
        each.add_argument("language", choices=FALLBACKS)
    exporting.add_argument("folder", type=Path)
    exporting.add_argument("--parts", type=int, default=8)
    taking.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    return int(options.does(options))


if __name__ == "__main__":
    sys.exit(main())
