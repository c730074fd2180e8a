"""The card's lines for those who check a copy: what repeats the manifest, and which key signed it.

Pure.
"""

from collections.abc import Mapping
from typing import Any

from exports.formats.rules.configs import ENDING
from exports.releases.rules import changes, hidden, signature

# Folders of the forms that repeat every open row.
COPIES = ("csv/", "parquet/")


def repeated(facts: str, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What holds the values that stand nowhere else: of the manifest, changes, hidden files, rows without copies."""
    lines = [
        "",
        f"Without `files`, as JSON with sorted names and no blanks, `manifest.json` has the SHA-256 `{facts}`.",
    ]
    copied = any(name.startswith(COPIES) for name in files)
    lines += [f"`{name}` has `{files[name]['sha256']}`." for name in sorted(files) if _stands_once(name, copied)]
    return lines if facts else []


def _stands_once(name: str, copied: bool) -> bool:
    """Whether no other file has all values of this one; `copied`: open rows stand in CSV or Parquet too."""
    return name.endswith(changes.FILE) or hidden.is_hidden(name) or (name.endswith(ENDING) and not copied)


def signed(told: Mapping[str, str] | None) -> list[str]:
    """Which key signed the manifest, and where the site lists its keys."""
    if told is None:
        return []
    return [
        "",
        f"`{signature.FILE}` is the signature of `manifest.json` with the {signature.ALGORITHM} key `{told['key']}`:",
        "",
        f"    manage.py verify_release DIR --public-key {told['public_key']}",
        "",
        "Whoever forged this file could name a key and an address of their own: take the key from the site that made "
        f"this release, by an address that you know by other means. The site lists its keys at `{signature.ADDRESS}`; "
        f"when this was made that was <{told['keys_at']}>.",
    ]
