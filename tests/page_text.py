"""A page: its markup but for the tokens in it, which are drawn anew each time and by chance hold any few
letters. Whoever asserts that a short word is on no page asks this, or fails once in some hundred or thousand runs.
"""

import re

# Those of forms (64 letters and digits), of invitations (43) and in other addresses (24), and the times at which cards
# were shown with their seals. No word or name in markup is as long and has a capital letter.
TOKEN = re.compile(
    r"(?<![\w-])(?=[\w:-]*[A-Z])(?:[A-Za-z0-9]{64}|[\w-]{43}|[\w-]{24}(?::\w{6}:[\w-]{43})?)(?![\w-])",
    re.ASCII,
)


def page_text(markup: str) -> str:
    """The markup without its tokens."""
    return TOKEN.sub("(token)", markup)
