"""The report as a PDF, where TeX is installed: latexmk, or pdflatex and bibtex by themselves."""

import os
import shutil
import subprocess
from pathlib import Path

SECONDS = 300
_OPTIONS = ["-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape"]
# Nothing outside the folder is read or written.
_CLOSED = {"openin_any": "p", "openout_any": "p", "max_print_line": "1000"}
MOST_SAID = 2000


class NotCompiledError(Exception):
    """TeX could not do it; the message is the end of its log."""


def tex() -> str | None:
    """The path of pdflatex, where it is installed."""
    return shutil.which("pdflatex")


def compile_paper(folder: Path, name: str = "paper") -> Path:
    """Make the PDF in the folder of the report. Raises NotCompiledError."""
    latex = ["pdflatex", *_OPTIONS, name]
    steps = [latex, *([["bibtex", name]] if _cites(folder / f"{name}.tex") else []), latex, latex]
    for step in steps:
        try:
            done = subprocess.run(
                step, cwd=folder, env={**os.environ, **_CLOSED}, capture_output=True, check=False, timeout=SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as failed:
            raise NotCompiledError(str(failed)) from failed
        if done.returncode:
            raise NotCompiledError(done.stdout.decode(errors="replace")[-MOST_SAID:])
    return folder / f"{name}.pdf"


def _cites(paper: Path) -> bool:
    return "\\bibliography{" in paper.read_text(encoding="utf-8")
