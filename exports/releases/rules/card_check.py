"""The card's lines for those who check a copy: what repeats the manifest, and which key signed it.

Pure.
"""

from collections.abc import Mapping
from typing import Any

from exports.releases.rules import changes, hidden, signature


def repeated(facts: str, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What holds the values that stand nowhere else: of the manifest, changes, hidden ids left out."""
    lines = [
        "",
        f"Without `files`, as JSON with sorted names and no blanks, `manifest.json` has the SHA-256 `{facts}`.",
    ]
    left_out = hidden.hidden_path(hidden.LEFT_OUT)
    names = (name for name in sorted(files) if name.endswith(changes.FILE) or name.startswith(left_out))
    lines += [f"`{name}` has `{files[name]['sha256']}`." for name in names]
    return lines if facts else []


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
        f"Whose key that is says the site that made this release, not this file: <{told['keys_at']}>.",
    ]
