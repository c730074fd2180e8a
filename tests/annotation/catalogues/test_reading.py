"""What is read out of Python and templates as a string of the interface."""

import pytest

from annotation.catalogues.reading import marked_strings

PYTHON = "from django.utils.translation import {}\n"


@pytest.mark.parametrize(
    ("imported", "line", "found"),
    [
        ("gettext", 'gettext("One")', [("One", None)]),
        ("gettext as _", '_("One " "line")', [("One line", None)]),
        ("gettext_lazy as _", 'x = {"a": _("One"), "b": _("Two")}', [("One", None), ("Two", None)]),
        ("gettext_noop", 'gettext_noop("One")', [("One", None)]),
        ("ngettext", 'ngettext("%(n)d item", "%(n)d items", n)', [(("%(n)d item", "%(n)d items"), None)]),
        ("pgettext", 'pgettext("verb", "Open")', [("Open", "verb")]),
        ("npgettext", 'npgettext("verb", "one", "many", n)', [(("one", "many"), "verb")]),
        ("gettext", "gettext(words)", []),
        ("gettext", 'gettext("")', []),
        ("gettext", '_("nobody imported this name")', []),
        ("gettext", '"""gettext("in a string")"""', []),
    ],
)
def test_python(imported: str, line: str, found: list[object]) -> None:
    read = marked_strings(PYTHON.format(imported) + line, is_template=False)
    assert [(message, context) for _, message, context, _ in read] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<p>{% translate "One" %}</p>', ["One"]),
        ("{% translate 'It''s' as x %}", ["It"]),
        ('  {% translate "Indented" %}\n<b>not “a string”</b> {% translate "Two" %}', ["Indented", "Two"]),
        ('{% column _("Name") heads %}{{ row }}', ["Name"]),
        ('{{ value|default:_("none") }}', ["none"]),
        ('{% include "a.html" with words=_("Say (1, 2 …)") only %}', ["Say (1, 2 …)"]),
        ("{% blocktranslate with n=row.n %}{{ n }} %{% endblocktranslate %}", ["%(n)s %%"]),
        (
            "{% blocktranslate count n=n %}{{ n }} item{% plural %}{{ n }} items{% endblocktranslate %}",
            [("%(n)s item", "%(n)s items")],
        ),
        ("{% blocktranslate trimmed %}\n  One\n  line.\n{% endblocktranslate %}", ["One line."]),
        ('{# {% translate "in a comment" %} #}', []),
    ],
)
def test_templates(text: str, found: list[object]) -> None:
    assert [message for _, message, _, _ in marked_strings(text, is_template=True)] == found
