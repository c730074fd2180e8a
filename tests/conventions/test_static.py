"""What goes over the line of our style sheets and scripts: all of them but their comments."""

import pytest

from config.static_files import without_comments


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        (
            "css/a.css",
            "/* one */\na { b: c; } /* two\nlines */\nd { e: f; }\n",
            "\na { b: c; }\nd { e: f; }\n",
        ),
        ("js/a.js", '/* one\ntwo */\nrun("/* no */ // no");\n  // three\n', 'run("/* no */ // no");\n'),
        ("js/a.js", "/* kept */ run();\nstop();\n/* gone */\n", "/* kept */ run();\nstop();\n"),
        ("vendor/a.js", "// of others\n", "// of others\n"),
    ],
)
def test_comments_stay_behind(name: str, text: str, left: str) -> None:
    assert without_comments(name, text) == left
