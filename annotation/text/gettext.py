"""Words in pure modules are marked for translation here, without Django; whoever shows them translates them."""


def gettext_noop(text: str) -> str:
    """Give the text as it is: `makemessages` finds it by this name."""
    return text
