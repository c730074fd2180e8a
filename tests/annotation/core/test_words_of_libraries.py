"""The strings of libraries that our catalogues translate are those that the libraries ask for."""

from pathlib import Path

import allauth
import django
import pytest

from annotation.core.words_of_libraries import WORDS


@pytest.fixture(scope="module")
def sources() -> str:
    folders = [Path(allauth.__file__).parent / "account", Path(allauth.__file__).parent / "mfa"]
    base = Path(django.__file__).parent
    folders += [base / "contrib" / "auth", base / "forms", base / "core", base / "conf"]
    return "\n".join(
        path.read_text(encoding="utf-8")
        for folder in folders
        for path in folder.rglob("*.py")
        if "migrations" not in path.parts
    )


@pytest.mark.parametrize("words", WORDS)
def test_the_libraries_still_say_it(words: str, sources: str) -> None:
    assert f'"{words}"' in sources
