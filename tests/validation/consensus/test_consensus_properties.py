"""What holds for the consensus engine whatever the protocol and the votes."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol

LABELS = ("A", "B", "C")
words = st.sampled_from([*LABELS, "x", None])
patient = replace(PRESETS["incremental-3-5"], stop_hopeless=False)


@st.composite
def protocols(draw) -> Protocol:
    """Any protocol that can be, ratings too."""
    rounds = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    author = draw(st.sampled_from(["vote", "key", "none"]))
    target = draw(st.sampled_from(["any", "accept"] + ["key"] * (author == "key")))
    return Protocol(
        "any",
        rounds,
        draw(st.integers(1, sum(rounds) + (author == "vote"))),
        author=author,
        target=target,
        accept="A" if target == "accept" else "",
        plurality=draw(st.booleans()) if target == "any" else False,
        tie=draw(st.sampled_from(["none", "lowest-pseudonym"])),
        stop_hopeless=draw(st.booleans()),
        criteria=draw(st.sampled_from([(), ("p", "q")])) if author == "none" else (),
        most_ambiguous=draw(st.integers(-1, sum(rounds) - 1)),
    )


@st.composite
def ballots(draw, most: int = 18) -> list[VoteIn]:
    """Votes by people, in the order in which they arrive."""
    rows = draw(st.lists(st.tuples(words, words, words, st.booleans()), max_size=most))
    return [VoteIn(a, f"W{n}", 0, n, {"p": b, "q": c}, marks) for n, (a, b, c, marks) in enumerate(rows)]


@given(protocols(), words, ballots(), st.randoms())
def test_deterministic_whatever_the_order_in_which_votes_are_handed_over(protocol, author, votes, random):
    places = list(range(len(votes)))
    random.shuffle(places)
    one = decide(protocol, author, votes, LABELS)
    other = decide(protocol, author, [votes[place] for place in places], LABELS)
    assert other == one._replace(counted=other.counted, surplus=other.surplus)
    assert [places[at] for at in other.counted] == list(one.counted)


@given(protocols(), words, ballots())
def test_counted_and_surplus_partition_the_votes(protocol, author, votes):
    decision = decide(protocol, author, votes, LABELS)
    assert sorted(decision.counted + decision.surplus) == list(range(len(votes)))
    assert len(decision.counted) <= protocol.votes_at_most
    if decision.state == "open":
        assert (decision.surplus, decision.label) == ((), None)
        asked = sum(protocol.rounds[: decision.round])
        assert decision.missing == asked - len(votes) > 0
    else:
        assert decision.missing == 0
        assert len(decision.counted) == sum(protocol.rounds[: decision.round])


@given(protocols(), words, ballots(), ballots(6))
def test_more_votes_never_change_what_was_decided(protocol, author, votes, more):
    later = [vote._replace(seq=100 + vote.seq) for vote in more]
    before, after = decide(protocol, author, votes, LABELS), decide(protocol, author, votes + later, LABELS)
    if before.state != "open":
        assert after._replace(surplus=before.surplus) == before
    else:
        assert after.round >= before.round


@given(protocols(), words, ballots())
def test_gold_is_a_label_of_the_scheme_with_the_quorum(protocol, author, votes):
    decision = decide(protocol, author, votes, LABELS)
    if decision.label is not None:
        cast = [votes[place].label for place in decision.counted]
        cast += [author] * (protocol.author == "vote")
        assert decision.state == "gold"
        assert decision.label in LABELS
        assert cast.count(decision.label) >= protocol.quorum
    if decision.state == "no_consensus" and protocol.tie == "lowest-pseudonym" and not protocol.criteria:
        cast = [votes[place].label for place in decision.counted] + [author] * (protocol.author == "vote")
        targets = {"any": LABELS, "accept": ("A",), "key": (author,) if author in LABELS else ()}[protocol.target]
        assert all(cast.count(label) < protocol.quorum for label in targets)


@given(st.sampled_from(LABELS), st.lists(st.sampled_from([*LABELS, "x"]), min_size=4, max_size=4))
def test_stopping_early_never_changes_the_majority_of_three_in_five(author, given_labels):
    votes = [VoteIn(label, f"W{n}", 0, n) for n, label in enumerate(given_labels)]
    majority = decide(PRESETS["fixed-5"], author, votes, LABELS).label
    assert decide(patient, author, votes, LABELS).label == majority
    assert decide(PRESETS["incremental-3-5"], author, votes, LABELS).label == majority


@given(protocols(), words, ballots())
def test_the_hopeless_stop_saves_votes_and_never_costs_a_label(protocol, author, votes):
    stopped = decide(replace(protocol, stop_hopeless=True), author, votes, LABELS)
    asked = decide(replace(protocol, stop_hopeless=False), author, votes, LABELS)
    assert len(stopped.counted) <= len(asked.counted)
    assert not asked.hopeless
    if asked.state == "gold":
        assert stopped == asked
    if stopped.hopeless and stopped.state == "no_consensus":
        # Whoever would have been asked further might have called it ambiguous.
        assert asked.state in ("open", "no_consensus", "excluded")
    if stopped.state == "excluded":
        assert asked.state in ("open", "excluded")


@given(protocols(), words, ballots())
def test_ambiguity_excludes_and_changes_nothing_else(protocol, author, votes):
    lenient = decide(replace(protocol, most_ambiguous=-1), author, votes, LABELS)
    found = decide(protocol, author, votes, LABELS)
    marks = sum(votes[place].ambiguous for place in found.counted)
    if found.state == "excluded":
        assert marks > protocol.most_ambiguous >= 0
        assert found == lenient._replace(state="excluded", label=None)
    else:
        assert found == lenient
        assert found.state == "open" or protocol.most_ambiguous < 0 or marks <= protocol.most_ambiguous
