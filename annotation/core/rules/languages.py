"""The languages of the interface, and which of them somebody is shown."""

from collections.abc import Iterable, Mapping

from annotation.text.gettext import gettext_noop as _

# As people who speak them call them: a switch is found by those who cannot read the page that it stands on.
INTERFACE_LANGUAGES = {"en": "English", "id": "Bahasa Indonesia", "su": "Basa Sunda"}
# What Django lists beyond the languages that it brings words for. Javanese is prepared: its catalogue is there, and it
# is offered from the day on which it stands in INTERFACE.
ADDED_LANG_INFO = {
    code: {"bidi": False, "code": code, "name": name, "name_local": local}
    for code, name, local in (("su", _("Sundanese"), "Basa Sunda"), ("jv", _("Javanese"), "Basa Jawa"))
}
_OTHER_CODES = {"eng": "en", "ind": "id", "sun": "su", "jav": "jv"}
# Languages without texts of their own whose speakers read another one rather than English: those of Indonesia.
_LANGUAGES_OF_INDONESIA = "abl abs ace ban bbc bew bjn bug gor iba jav jax jv mad mak min mui nij sas su sun"
READING_LANGUAGES: Mapping[str, str] = dict.fromkeys(_LANGUAGES_OF_INDONESIA.split(" "), "id")


def interface_language(code: str) -> str:
    """The language of the interface for speakers of a language: its own, or one that they read; empty for none.

    `id-ID` and `ind` read as `id`; Buginese, which has none, as Indonesian (READ_IN).
    """
    base = code.replace("_", "-").split("-")[0].lower()
    return first_offered((base, _OTHER_CODES.get(base, ""), READING_LANGUAGES.get(base, "")))


def only_language(codes: Iterable[str]) -> str:
    """The one language of the interface for speakers of all these languages; empty where there are none or two."""
    found = {interface_language(code) for code in codes}
    return found.pop() if len(found) == 1 else ""


def first_offered(codes: Iterable[str]) -> str:
    """The first of some codes in which the interface is there; empty for none."""
    return next((code for code in codes if code in INTERFACE_LANGUAGES), "")
