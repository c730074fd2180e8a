"""The words often used in a project, for the check on slips of the pen; kept in each process for some minutes."""

from collections import Counter
from threading import Lock
from time import monotonic

from annotation.content.models.item import Hypothesis
from annotation.core.models.project import Project
from annotation.text.common_words import CommonWords
from annotation.text.tokens import words

KEPT_SECONDS = 300.0
MOST_TEXTS = 20_000
MOST_PROJECTS = 16
_cache: dict[int, tuple[float, CommonWords]] = {}
_lock = Lock()


def count_common_words(project: Project) -> CommonWords:
    """Count the words of the project's latest texts (20,000 at most); the same counts for five minutes."""
    with _lock:
        since, found = _cache.get(project.pk, (0.0, None))
        if found is not None and monotonic() - since < KEPT_SECONDS:
            return found
    counts: Counter[str] = Counter()
    texts = Hypothesis.objects.filter(project=project).order_by("-pk").values_list("text", flat=True)
    for text in texts[:MOST_TEXTS]:
        counts.update(words(text))
    often = CommonWords(counts)
    with _lock:
        if len(_cache) >= MOST_PROJECTS:
            _cache.clear()
        _cache[project.pk] = (monotonic(), often)
    return often
