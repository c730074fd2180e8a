"""The alternative annotator test (Calderon, Reichart, Dror: The Alternative Annotator Test for LLM-as-a-Judge, 2025).

Pure. Each annotator is left out in turn: on the items of this person, does the model agree with the others at least
as often as the person does? The person may be better by `epsilon`, since people cost more. One-sided paired t-test for
each person, false discoveries held at 5 % (Benjamini and Yekutieli: the tests depend on each other). The model could
stand in where it wins against at least half of the people. At least three people, and 30 items of each (50 to 100
wanted).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, fabs, lgamma, log, sqrt

FEWEST_PEOPLE, FEWEST_ITEMS, WANTED = 3, 30, (50, 100)
EPSILONS = (0.1, 0.15, 0.2)
FALSE_DISCOVERIES, WINNING_RATE = 0.05, 0.5
LEAST_P = 1e-300

# Item → who gave which label.
Labels = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Person:
    """One annotator left out: items, how often the model and they were at least as good, the test's p, its result."""

    name: str
    items: int
    model: float
    human: float
    p: float
    p_corrected: float = 1.0
    """By Benjamini and Yekutieli, over the people."""
    won: bool = False


@dataclass(frozen=True, slots=True)
class AnnotatorTest:
    """The test: each person, the share against whom the model won, its mean advantage; None where too few are there."""

    epsilon: float
    people: tuple[Person, ...]
    left_out: tuple[str, ...]
    """Who has too few items in common with others."""

    @property
    def enough(self) -> bool:
        """Whether there are enough people with enough items."""
        return len(self.people) >= FEWEST_PEOPLE

    @property
    def winning_rate(self) -> float | None:
        """The share of people against whom the model won (omega)."""
        return sum(person.won for person in self.people) / len(self.people) if self.enough else None

    @property
    def advantage(self) -> float | None:
        """How often the model was at least as good as a person, on average (rho)."""
        return sum(person.model for person in self.people) / len(self.people) if self.enough else None

    @property
    def stands_in(self) -> bool | None:
        """Whether the model could replace an annotator; None if that cannot be decided."""
        return None if self.winning_rate is None else self.winning_rate >= WINNING_RATE


def alternative_annotator_test(people: Labels, model: Mapping[str, str], epsilon: float) -> AnnotatorTest:
    """Test the model's labels by item against those of people by item and person."""
    differences: dict[str, list[int]] = {}
    wins: dict[str, list[tuple[bool, bool]]] = {}
    for item, given in sorted(people.items()):
        if item not in model or len(given) < 2:
            continue
        for who, label in given.items():
            others = [labels for other, labels in given.items() if other != who]
            machine, human = others.count(model[item]), others.count(label)
            wins.setdefault(who, []).append((machine >= human, human >= machine))
            differences.setdefault(who, []).append((human >= machine) - (machine >= human))
    tested = [who for who in sorted(wins) if len(wins[who]) >= FEWEST_ITEMS]
    found = [
        Person(
            who,
            len(wins[who]),
            sum(model for model, _ in wins[who]) / len(wins[who]),
            sum(human for _, human in wins[who]) / len(wins[who]),
            p_value_below(differences[who], epsilon),
        )
        for who in tested
    ]
    corrected = corrected_by_yekutieli([person.p for person in found])
    people_told = tuple(
        replace(person, p_corrected=p, won=p <= FALSE_DISCOVERIES) for person, p in zip(found, corrected, strict=True)
    )
    return AnnotatorTest(epsilon, people_told, tuple(who for who in sorted(wins) if who not in tested))


def p_value_below(values: Sequence[float], bound: float) -> float:
    """The p-value of a one-sided t-test that the mean is below the bound; never 0.

    Without any spread it is that of as many signs that are all alike.
    """
    n = len(values)
    mean = sum(values) / n
    spread = sum((value - mean) ** 2 for value in values) / (n - 1)
    if spread == 0:
        return max(0.5**n, LEAST_P) if mean < bound else 1.0
    return max(student_t_cdf((mean - bound) / sqrt(spread / n), n - 1), LEAST_P)


def corrected_by_yekutieli(ps: Sequence[float]) -> list[float]:
    """P-values corrected so that false discoveries are held, however the tests depend on each other."""
    m = len(ps)
    weight = m * sum(1 / rank for rank in range(1, m + 1))
    found, least = [1.0] * m, 1.0
    for rank, place in sorted(enumerate(sorted(range(m), key=lambda place: ps[place]), 1), reverse=True):
        least = min(least, weight * ps[place] / rank)
        found[place] = least
    return found


def student_t_cdf(t: float, freedom: int) -> float:
    """P(T <= t) of Student's distribution, by the incomplete beta function."""
    tail = _beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    tiny, c, d = 1e-300, 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if fabs(d) > tiny else tiny)
    found = d
    for m in range(1, 1000):
        for over in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + over * d
            d = 1 / (d if fabs(d) > tiny else tiny)
            c = 1 + over / c
            c = c if fabs(c) > tiny else tiny
            found *= c * d
        if fabs(c * d - 1) < 1e-15:
            break
    return front * found


def items_against_all(people: Labels, model: Mapping[str, str]) -> list[str]:
    """The items on which all people gave one label, and the model another."""
    return sorted(
        item
        for item, given in people.items()
        if item in model and len(given) > 1 and len({*given.values()}) == 1 and model[item] not in given.values()
    )
