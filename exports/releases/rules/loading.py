"""What the card of a release says of loading it: by name with `datasets`, by file with a data frame.

Pure, and read from the head of the card, so that what people read is what machines read.
"""

from collections.abc import Collection, Mapping
from typing import Any

# Names are listed as they are; more would bury the rest of the card.
MOST_LISTED = 40


def loading(head: Mapping[str, Any], files: Collection[str]) -> list[str]:
    """The section; nothing where the release has no configs."""
    configs = head.get("configs", [])
    if not configs:
        return []
    first = configs[0]
    splits = [file["split"] for file in first["data_files"]]
    path, split = first["data_files"][-1]["path"], splits[-1]
    listed = [f"- `{config['config_name']}`: {_splits(config)}" for config in configs[:MOST_LISTED]]
    more = len(configs) - len(listed)
    cells = " In `csv/`, lists are JSON too, and a cell that a spreadsheet would take for a formula has an apostrophe "
    cells = f"{cells}before it." if any(name.startswith("csv/") for name in files) else ""
    return [
        "## Load it",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'rows = load_dataset("FOLDER", "{first["config_name"]}", split="{split}")  # where this file lies',
        *_labelled(head),
        "",
        "import pandas",
        "",
        f'rows = pandas.read_parquet("FOLDER/{path}")',
        "```",
        "",
        *listed,
        *([f"- and {more} more, at the head of this file."] if more else []),
        "",
        f"Columns whose fields differ from row to row are text that holds JSON (`json.loads`).{cells}",
        "",
    ]


def _splits(config: Mapping[str, Any]) -> str:
    return ", ".join(f"`{file['split']}`" for file in config["data_files"])


def _labelled(head: Mapping[str, Any]) -> list[str]:
    """How a label's name is found, where the first config's labels are classes."""
    columns = head["dataset_info"][0]["features"]
    if not any("class_label" in column.get("dtype", ()) for column in columns):
        return []
    return ['rows.features["label"].int2str(rows[0]["label"])']
