"""JSON as it stands in YAML: the same but for characters that YAML does not let stand as they are."""

import re

# What YAML takes for the end of a line, or for no character at all, unless it is written as its number.
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def as_yaml(told: str) -> str:
    """Give a value that is JSON as YAML reads it; odd characters stand in texts alone, where a number is the same."""
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", told)
