"""What the demo's first project says of itself, and what its people, who are made up, say of themselves."""

from annotation.core.rules.draws import draw
from annotation.datasheet.actions import about_change, consent_give, consent_publish, demographics_save
from exports.demo.story import SEED, Demo

STATEMENT = {
    "curation_rationale": "Short Indonesian sentences about everyday places, written for this demo so that every "
    "screen has something to show. They are no test set: do not score a model on them.",
    "language_variety": "Indonesian as it is written in news and encyclopedias; no dialect was asked for.",
    "annotator_demographic": "The people of the demo are made up, and so is what they say about themselves here.",
    "speech_situation": "Written at a desk in 2026, edited, meant to be read.",
    "text_characteristics": "Markets, schools, trains, weather and crafts; one to three sentences each.",
}
CONSENT = (
    "We ask a few things about you so that users of the data know whose judgement it holds. All of it is optional. "
    "Only counts of groups are published, never an answer beside a name, and you can take it back at any time."
)
# The twelfth is for whoever tries the demo.
SPEAKING = 11
ANSWERS = {
    "native_language": ("Indonesian", "Indonesian", "Javanese", "Sundanese"),
    "gender": ("female", "male"),
    "age_band": ("15-24", "25-34"),
    "education": ("student", "bachelor"),
}


def tell(demo: Demo) -> None:
    """Licence, statement and consent; eleven people agree and answer."""
    about_change(
        project=demo.project,
        by=demo.administrator,
        changes={
            "licence": "CC0-1.0",
            "citation": "Mufakat: demo texts for natural language inference in Indonesian. 2026.",
            "statement": STATEMENT,
        },
        version=0,
    )
    text = consent_publish(project=demo.project, text=CONSENT, asks_again=True, by=demo.administrator)
    for person in demo.annotators[:SPEAKING]:
        consent_give(annotator=person, n=text.n)
        said = {
            name: words[draw(SEED, f"about-{name}", person.pseudonym) % len(words)]
            for name, words in ANSWERS.items()
        }
        demographics_save(annotator=person, said=said)
