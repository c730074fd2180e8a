"""Files of items for each template, short and our own, and how a project with one of them is made."""

from pathlib import Path
from typing import Any

import orjson

from annotation.core.models.project import Project
from annotation.tasks.actions import task_project_create
from annotation.tasks.rules.task import Task
from annotation.tasks.rules.templates import template

ITEMS: dict[str, list[dict[str, Any]]] = {
    "sentiment": [
        {"id": "s1", "text": "Sotonya hangat dan gurih, besok saya ke sini lagi."},
        {"id": "s2", "text": "Kereta berangkat pukul tujuh dari peron tiga."},
        {"id": "s3", "text": "Paketnya rusak dan tidak ada yang menjawab telepon."},
    ],
    "toxicity": [
        {"id": "t1", "comment": "Terima kasih sudah menjelaskan.", "topic": "Rapat warga"},
        {"id": "t2", "comment": "Tulisanmu tidak layak dibaca siapa pun."},
    ],
    "preference": [
        {
            "id": "p1",
            "prompt": "Bagaimana cara menyimpan cabai?",
            "response_a": "Cuci, keringkan, lalu simpan di wadah tertutup.",
            "response_b": "Simpan saja.",
        },
        {
            "id": "p2",
            "prompt": "Apa itu pantun?",
            "response_a": "Puisi lama.",
            "response_b": "Puisi berima a-b-a-b.",
        },
    ],
    "extractive-qa": [
        {
            "id": "q1",
            "passage": "Pasar Gede dibangun kembali pada tahun 1930 dan terbakar pada tahun 2000.",
            "query": "Kapan Pasar Gede terbakar?",
        },
        {"id": "q2", "passage": "Pasar itu buka setiap hari.", "query": "Siapa yang mendirikan pasar itu?"},
    ],
    "claims": [
        {
            "id": "c1",
            "claim": "Jembatan itu ditutup.",
            "evidence": "Jembatan lama ditutup sejak Senin. Warga memutar.",
        },
        {"id": "c2", "claim": "Jembatan itu merah.", "evidence": "Jembatan lama ditutup sejak Senin."},
    ],
    "emotions": [
        {"id": "e1", "text": "Akhirnya lulus juga, ibu sampai menangis!"},
        {"id": "e2", "text": "Rapat dimulai pukul sembilan."},
    ],
}


def make_task_project(slug: str, *, task: Task | None = None, name: str = "") -> Project:
    """A project with a template's task, which offers items at once."""
    made = task or template(slug)
    return task_project_create(slug=name or f"task-{slug}", task=made, seed="seed", settings={"offer_minutes": 0})


def write_items_file(slug: str, folder: Path) -> Path:
    """The items of a template as JSON Lines."""
    path = folder / f"{slug}.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ITEMS[slug]))
    return path
