"""Pure functions over texts: checks, languages, tokens, sentences, similarity, differences, lexical statistics."""


def gettext_noop(text: str) -> str:
    """Mark a text for translation without Django; templates translate it."""
    return text
