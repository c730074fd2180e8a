"""Files of prompts and topics as they really come, beside those of tests.hostile; ids that spreadsheets ate first."""

import json
from typing import Any

from tests.hostile import CORPUS as OTHERS
from tests.hostile import NOT_JSON, Bad, Hostile

KALAHI = "kalahi"
HEAD = "prompt_variation_id,prompt_id,category,topic,prompt,best_answer,relevant_answers,irrelevant_answers\n"
PROMPT = "Saya diundang ke rumah tetangga.\nApa yang sebaiknya saya bawa?"
RELEVANT = ["Bawa buah tangan secukupnya.", "Bawa kue dari rumah.", "Tawarkan bantuan di dapur."]
IRRELEVANT = [
    "Bawa daftar harga makanan.",
    "Minta tuan rumah membayar ongkos.",
    "Datang dengan tangan kotor.",
]


def prompt(key: str = "0100000100", **changes: Any) -> bytes:
    """One good row, with some fields changed; None leaves one out."""
    row = {
        "prompt_variation_id": key,
        "prompt_id": key[:-2],
        "category": "ethics",
        "topic": "bertamu",
        "prompt": PROMPT,
        "best_answer": RELEVANT[0],
        "relevant_answers": RELEVANT,
        "irrelevant_answers": IRRELEVANT,
        **changes,
    }
    return json.dumps({name: value for name, value in row.items() if value is not None}).encode() + b"\n"


def sheet(*keys: str, prompt: str = PROMPT) -> bytes:
    """The same as a sheet."""
    cells = f'"{prompt}",{RELEVANT[0]},{";".join(RELEVANT)},{";".join(IRRELEVANT)}'
    return (HEAD + "".join(f"{key},{key[:-2]},ethics,bertamu,{cells}\n" for key in keys)).encode()


PROMPTS = (
    Hostile(
        "prompts.jsonl",
        prompt() + prompt("0200000200", prompt=PROMPT.replace("tetangga", "guru")),
        2,
        preset=KALAHI,
    ),
    Hostile("prompts.csv", sheet("0100000100"), 1, preset=KALAHI),
    Hostile(
        "prompts-torn.jsonl",
        prompt() + prompt("0200000200")[:-40],
        1,
        (Bad(2, "", NOT_JSON),),
        preset=KALAHI,
    ),
    Hostile(
        "prompts-zeros-eaten.csv",
        sheet("100000100", "1E+09", "0100000100", "٠١٠٠٠٠٠١٠٠", "", "01-000-00100"),
        1,
        (
            Bad(2, "prompt_variation_id", "10 digits are expected"),
            Bad(3, "prompt_variation_id", "“1E+09” is no prompt id"),
            Bad(5, "prompt_variation_id", "is no prompt id"),
            Bad(6, "prompt_variation_id", "id is missing"),
            Bad(7, "prompt_variation_id", "is no prompt id"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "prompt-ids.jsonl",
        prompt("0100000100", prompt_id="01000002")
        + prompt("0000000100")
        + prompt("0100000000")
        + prompt("0100000100", prompt_id=None)
        + prompt("9" * 300),
        1,
        (
            Bad(1, "prompt_id", "no variation of the prompt “01000002”"),
            Bad(2, "prompt_variation_id", "no number for the context"),
            Bad(3, "prompt_variation_id", "no number for the instruction"),
            Bad(5, "prompt_variation_id", "characters"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "prompt-parts.jsonl",
        prompt("0101000100")
        + prompt("0100000101")
        + prompt("0100000100", prompt="Satu baris saja.")
        + prompt("0101000100", prompt="\n" + PROMPT)
        + prompt("0100000100", prompt=" \nApa?")
        + prompt("0100000100", prompt="Saya diundang.\n")
        + prompt("0100000100", prompt=None)
        + prompt("0100000100", prompt=["Apa?"])
        + prompt("0100000100", prompt="a\0b\nc")
        + prompt("0100000100", prompt="x" * 10_001)
        + prompt("0100000100", prompt="Saya\rdiundang.\n\nApa\ryang saya bawa?"),
        1,
        (
            Bad(1, "prompt", "2 lines, and its id “0101000100” says that it has at least 3"),
            Bad(2, "prompt", "at least 3"),
            Bad(3, "prompt", "at least 2"),
            Bad(4, "prompt", "its line is empty: user"),
            Bad(5, "prompt", "its line is empty: context"),
            Bad(6, "prompt", "its line is empty: instruction"),
            Bad(7, "prompt", "missing"),
            Bad(8, "prompt", "text in quotation marks"),
            Bad(9, "prompt", "NUL"),
            Bad(10, "prompt", "10001 characters"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "prompt-responses.jsonl",
        prompt("0100000100", best_answer="Yang lain.")
        + prompt("0100000100", best_answer=None)
        + prompt("0100000100", relevant_answers=[*RELEVANT, "Empat.", "Lima.", "Enam."])
        + prompt("0100000100", irrelevant_answers=IRRELEVANT * 3)
        + prompt("0100000100", irrelevant_answers=["Satu.", ""])
        + prompt("0100000100", irrelevant_answers=["Satu.", 2])
        + prompt("0100000100", irrelevant_answers={"Satu.": 1})
        + prompt("0100000100", irrelevant_answers="Satu.;;Dua.")
        + prompt("0100000100", relevant_answers=RELEVANT[:1], irrelevant_answers=None)
        + prompt("0200000200", irrelevant_answers=[RELEVANT[0], *IRRELEVANT]),
        2,
        (
            Bad(1, "best_answer", "not among the relevant"),
            Bad(2, "best_answer", "missing"),
            Bad(3, "relevant_answers", "6 responses; at most 5"),
            Bad(4, "irrelevant_answers", "9 responses"),
            Bad(5, "irrelevant_answers", "missing"),
            Bad(6, "irrelevant_answers", "quotation marks"),
            Bad(7, "irrelevant_answers", "list"),
            Bad(8, "irrelevant_answers", "empty"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "same-prompt.jsonl",
        prompt()
        + prompt()
        + prompt(prompt=PROMPT.replace("bawa", "siapkan"))
        + prompt(best_answer=RELEVANT[1])
        + prompt(irrelevant_answers=IRRELEVANT[::-1])
        + prompt(topic="warung")
        + prompt("0300000300"),
        2,
        (
            Bad(
                3,
                "prompt_variation_id",
                "Here: “Saya diundang ke rumah tetangga.\nApa yang sebaiknya saya siapkan?”",
            ),
            Bad(4, "prompt_variation_id", "There: “best: R1” Here: “best: R2”"),
            Bad(5, "prompt_variation_id", "I1: Datang"),
            Bad(6, "prompt_variation_id", "There: “bertamu” Here: “warung”"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "prompt-answers.jsonl",
        prompt(answers={"V1": "R1", "V2": "i2", "V3": "R1"})
        + prompt("0200000100", answers={"V1": "R2"})
        + prompt("0200000100", answers={"V1": "I4"})
        + prompt("0200000100", answers=[{"annotator": "V1", "label": "I1"}] * 2),
        1,
        (
            Bad(2, "answers", "“R2”, which is none of the choices R1, I1, I2, I3"),
            Bad(3, "answers", "none of the choices"),
            Bad(4, "answers", "votes twice"),
        ),
        preset=KALAHI,
    ),
    Hostile(
        "topics.csv",
        b"category,topic,source,id\nsehari-hari,warung,cari,t1\nsehari-hari,warung,lain,t9\n,angkot,,\n,,cari,\n,arisan,,t1\n",
        2,
        (
            Bad(5, "topic", "missing"),
            Bad(6, "topic_key", "There: “sehari-hari: warung” Here: “topics: arisan”"),
        ),
        preset=KALAHI,
    ),
    Hostile("no-prompt.jsonl", b'{"id": 1}\n', file="nor for the topic", preset=KALAHI),
    Hostile(
        "prompt-alone.jsonl",
        b'{"prompt": "Apa?", "best_answer": "Ya."}\n',
        file="prompt_variation_id, relevant_answers, irrelevant_answers",
        preset=KALAHI,
    ),
)
CORPUS = (*OTHERS, *PROMPTS)
