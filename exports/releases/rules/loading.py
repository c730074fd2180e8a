"""The card's section on how the files are loaded. Pure, from the values at the head of the card."""

from collections.abc import Mapping
from typing import Any

# Names are listed as they are; more would bury the rest of the card.
MOST_LISTED = 40


def loading_section(head: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The section; nothing where the release has no configs."""
    configs = head.get("configs", [])
    if not configs:
        return []
    first = configs[0]
    splits = [file["split"] for file in first["data_files"]]
    path, split = first["data_files"][-1]["path"], splits[-1]
    listed = [f"- `{config['config_name']}`: {_split_names(config)}" for config in configs[:MOST_LISTED]]
    more = len(configs) - len(listed)
    cells = (
        " In `csv/`, lists are JSON too; `NAME.spreadsheet.csv` is a copy of `NAME.csv` for spreadsheets, in which "
        "a cell that one would take for a formula has an apostrophe before it."
        if any(name.startswith("csv/") for name in files)
        else ""
    )
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
        *_empty_tables(files),
    ]


def _empty_tables(files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Files of rows without any, which not every library reads."""
    empty = [f"`{name}`" for name, facts in sorted(files.items()) if name.endswith(".parquet") and not facts["rows"]]
    if not empty:
        return []
    return [
        f"Without rows: {', '.join(empty)}. These have all columns with their types, for pandas and polars; their CSV "
        "files have the head, their JSON Lines nothing. No config names them, since `datasets` refuses splits without "
        "rows.",
        "",
    ]


def _split_names(config: Mapping[str, Any]) -> str:
    return ", ".join(f"`{file['split']}`" for file in config["data_files"]) + _what_rows_are(config["data_files"][0])


def _what_rows_are(file: Mapping[str, str]) -> str:
    if file["split"] == "votes":
        return ": every vote, whatever split its item is in"
    return ": how often each label was given, item by item" if "/distributions/" in file["path"] else ""


def _labelled(head: Mapping[str, Any]) -> list[str]:
    """How a label's name is found, where the first config's labels are classes."""
    columns = head["dataset_info"][0]["features"]
    if not any("class_label" in column.get("dtype", ()) for column in columns):
        return []
    return ['rows.features["label"].int2str(rows[0]["label"])']
