"""How people answer the items of each template: a form as the vote page posts it, by the item's key."""

from collections.abc import Callable, Mapping

from django.test import Client

from annotation.core.models.member import Annotator

Form = Mapping[str, str | list[str]]


def _passage(text: str, field: str) -> Form:
    names = {"text": text, "of": "", "label": "", "nth": "", "start": ""}
    return {f"answer-{field}-{name}": value for name, value in names.items()}


# What everybody says, but for the person at this place.
FORMS: dict[str, Callable[[str, int], Form]] = {
    "sentiment": lambda key, place: {"label": "neutral" if key == "s2" else "positive"},
    "toxicity": lambda key, place: {
        "answer-toxicity": "5" if key == "t2" and place else "1",
        "answer-reasons": ["insult", "group"] if key == "t2" else [],
        "answer-why": "Merendahkan orang." if key == "t2" else "",
    },
    "preference": lambda key, place: {
        "answer-better": "tie" if key == "p1" else "1",
        "answer-criteria_correct": "yes",
        "answer-criteria_clear": "no",
    },
    "extractive-qa": lambda key, place: _passage("2000" if key == "q1" else "", "answer"),
    "claims": lambda key, place: {
        "answer-verdict": "supported" if key == "c1" else "open",
        **_passage("ditutup sejak Senin" if key == "c1" else "", "passages"),
    },
    "emotions": lambda key, place: {"answer-emotions": ["joy", "sadness"] if key == "e1" else ["none"]},
}


# What comes of it: the gold key of each item, None where that depends on which side stood first.
GOLD: dict[str, dict[str, str | None]] = {
    "sentiment": {"s1": "positive", "s2": "neutral", "s3": "positive"},
    "toxicity": {"t1": "1", "t2": "5"},
    "preference": {"p1": "tie", "p2": None},
    "extractive-qa": {"q1": "68-72", "q2": "~"},
    "claims": {"c1": "supported", "c2": "open"},
    "emotions": {"e1": "joy+sadness", "e2": "none"},
}


def vote_all(person: Annotator, slug: str, place: int) -> int:
    """Answer whatever the page offers, until it offers nothing; how many cards that were."""
    web = Client()
    assert person.user is not None
    web.force_login(person.user)
    address, n = f"/p/{person.project.slug}/vote/", 0
    while (card := web.get(address).context["card"]) is not None:
        key = person.assignments.get(token=card.token).item.key
        sent = web.post(f"{address}{card.token}/", FORMS[slug](key, place))
        assert sent.status_code == 302, sent.content.decode()
        n += 1
    return n
