"""Lines of ConceptNet's assertions: five columns behind tabs (uri, relation, start, end, JSON), nodes as URIs.

Worked on as bytes and without reading the JSON: of 34 million lines nearly all are of no use.
"""

from annotation.text.normalise import key_form

COLUMNS = 5
LONGEST_TERM = 250
_RELATION, _NODE = b"/r/", b"/c/"
_SKIP = len(_NODE)

# ConceptNet has one code for what it takes for one language (conceptnet5/languages.py, 5.7): Indonesian stands under
# Malay, Croatian under Serbo-Croatian. BCP 47's primary subtag on the left.
_TAGS = {
    "id": "ms",
    "zsm": "ms",
    "cmn": "zh",
    "yue": "zh",
    "nb": "no",
    "nn": "no",
    "bs": "sh",
    "hr": "sh",
    "sr": "sh",
    "hbs": "sh",
    "arb": "ar",
    "arz": "ar",
    "ary": "ar",
    "ckb": "ku",
    "tl": "fil",
    "vro": "et",
    "sgs": "lt",
}


# What a line asserts: its relation without `/r/`, the nodes as they stand, the language of each; what is no node of
# ConceptNet's (a link to elsewhere) has the language b"". A plain tuple: 34 million of them are made.
Assertion = tuple[bytes, bytes, bytes, bytes, bytes]


def tag(language: str) -> str:
    """ConceptNet's code for a project's language (BCP 47): `id` → `ms`, `pt-BR` → `pt`, `zh-Hant` → `zh`."""
    primary = language.replace("_", "-").split("-")[0].lower()
    return _TAGS.get(primary, primary)


def read(line: bytes) -> Assertion | None:
    """What a line asserts; None where it is malformed: not five columns, no relation, an end without a name."""
    try:
        _, relation, start, end, _ = line.split(b"\t", COLUMNS - 1)
    except ValueError:
        return None
    if relation[:_SKIP] != _RELATION or len(relation) == _SKIP or not start or not end:
        return None
    start_language = end_language = b""
    if start[:_SKIP] == _NODE:
        start_language = start[_SKIP : start.find(b"/", _SKIP)]
    if end[:_SKIP] == _NODE:
        end_language = end[_SKIP : end.find(b"/", _SKIP)]
    return relation[_SKIP:], start, end, start_language, end_language


def node(uri: bytes) -> str | None:
    """The term of a node, its part of speech and senses dropped: /c/en/test/n/wn/act → test.

    The underscores stay: `words` and `name` read them. None where there is nothing to read, or far too much.
    """
    try:
        term = uri.split(b"/", 4)[3].decode("utf-8")
    except (IndexError, UnicodeDecodeError):
        return None
    readable = len(term) <= LONGEST_TERM and "\0" not in term and key_form(name(term))
    return term if readable else None


def name(term: str) -> str:
    """A term as people read it, with blanks."""
    return " ".join(term.replace("_", " ").split())


def uri(language: str, term: str) -> str:
    """The node of a term without its senses."""
    return f"/c/{language}/{term}"
