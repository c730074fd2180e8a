"""The command: exit 0; 1 where something differs; 2 where the folder holds no release."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from annotation import kinds
from annotation.tasks.rules.known import kind_of
from exports.releases.rules.signature import PUBLIC_KEY_HELP, PUBLIC_KEY_OPTION, KeyUnreadable, read_public_keys
from exports.releases.verify_files import DIFFERENT, DIFFERS, UNUSABLE, UnreadableRelease, verify_files

NOT_REBUILT = "every file, built again from the database that made it: manage.py verify_release does that"


def main(arguments: list[str] | None = None) -> int:
    """Check the folder that the arguments name, and print what was checked and what was not."""
    parser = ArgumentParser("python -m exports.verify", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="where manifest.json lies")
    parser.add_argument("--manifest-sha256", metavar="HEX", default="", help="what the release's page names")
    parser.add_argument(PUBLIC_KEY_OPTION, metavar="KEY", default="", help=PUBLIC_KEY_HELP)
    options = parser.parse_args(arguments)
    kinds.add_finder(kind_of)
    try:
        keys = read_public_keys(options.public_key) if options.public_key else ()
        report = verify_files(options.folder, manifest_sha256=options.manifest_sha256, public_keys=keys)
    except (UnreadableRelease, KeyUnreadable) as why:
        print(why, file=sys.stderr)
        return UNUSABLE
    for line in report.lines():
        print(line)
    for words in (*report.unchecked, NOT_REBUILT):
        print(f"Not checked: {words}.")
    if not report.right:
        print(DIFFERENT, file=sys.stderr)
        return DIFFERS
    return 0


if __name__ == "__main__":
    sys.exit(main())
