"""The tables of a release for a paper, each declared once: its counts, its paper, and what draws it (drawing.py).

Pages, CSV and LaTeX files draw what is declared here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from annotation.text.gettext import gettext_noop as _
from exports.statistics import drawing
from exports.statistics.drawing import TableContent, TableFacts


@dataclass(frozen=True)
class Statistic:
    """A table: its name in files, its title, what it counts (the caption of a paper), the paper's table that it is.

    `draw` gives what it is for a release, without rows where it says nothing.
    """

    key: str
    title: str
    definition: str
    source: str
    draw: Callable[[TableFacts], TableContent] = field(repr=False)


STATISTICS = (
    Statistic(
        "sizes",
        _("Rows by split, label and class"),
        _(
            "Rows of each split, how many have each label and each class of source, and the words of each text, which "
            "are what stands between blanks: mean, standard deviation (of the population) and the 95 % interval of the "
            "mean. A text that several items share counts once for each."
        ),
        "IndoNLI, Table 4; id-csqa, Table 1; Kalahi, §3.1",
        drawing.sizes,
    ),
    Statistic(
        "overlap",
        _("Overlap with the source"),
        _(
            "Medians over texts, by split and label, in percent, with 95 % intervals by order statistics. Jaccard: "
            "token types that text and source share, of those of both. Common subsequence: the longest one of tokens, "
            "of the text's tokens. New tokens: the text's token types that the source lacks, of its token types."
        ),
        "IndoNLI, §3.3 and Table 5",
        drawing.overlap,
    ),
    Statistic(
        "words",
        _("Words that give labels away"),
        _(
            "The three words with the highest pointwise mutual information with each label, in bits, 10 added to every "
            "count of word and label; n(word, label) as a share of n(word), with Wilson's 95 % interval."
        ),
        "IndoNLI, §5.2 and Table 9",
        drawing.words,
    ),
    Statistic(
        "rounds",
        _("Annotations saved by rounds"),
        _(
            "Annotations over items whose votes ended, against five labels an item (four without the author's), and "
            "the share saved, with the 95 % interval of the mean over items."
        ),
        "IndoNLI, §3.2 and Table 2",
        drawing.rounds,
    ),
    Statistic(
        "quality",
        _("Gold labels and individual labels"),
        _(
            "Over items whose votes ended. Individual labels are all that counted, the author's included where it is a "
            "vote; items without a gold label are in the denominator. Each helped to make its gold label, so that this "
            "agreement is too high: the votes that are the gold label of the others (the rules without that vote; "
            "estimated where the protocol stops early) say more. With Wilson's 95 % intervals."
        ),
        "IndoNLI, §3.2 and Table 3",
        drawing.quality,
    ),
    Statistic(
        "errors",
        _("Errors of machine-written items"),
        _(
            "The main error of each part of the assessed machine-written items, as the machine wrote them, by split; "
            "with Wilson's 95 % intervals."
        ),
        "id-csqa, §5.1 and Tables 2, 5, 7 and 9",
        drawing.errors,
    ),
    Statistic(
        "concepts",
        _("The most frequent concepts"),
        _(
            "Items of each concept or topic, by split, as a share of all items, with Wilson's 95 % interval. Of more "
            "than 25 only the ten of most items."
        ),
        "id-csqa, §5.1.1 and Figure 2; Kalahi, §3.1 and Table 3",
        drawing.concepts,
    ),
    Statistic(
        "tasks",
        _("Rows by task"),
        _(
            "Rows of each task in the language that has most of them, the languages and registers that have it, the "
            "source's among them where the release has a file of it, and the rows in all of them."
        ),
        "LoraxBench, §3.5 and Table 3",
        drawing.tasks,
    ),
    Statistic(
        "levels",
        _("Easy and hard questions"),
        _(
            "Machine-written questions by split: easy where the model answered its own question, hard where it did not "
            "and people confirmed the answer."
        ),
        "mCSQA, §3.4 and Table 2",
        drawing.levels,
    ),
    Statistic(
        "people",
        _("People by target"),
        _(
            "People who wrote or judged released items of each target, and the gender of those who agreed to be "
            "counted. A number below the project's threshold, or from which one would follow, is not given."
        ),
        "LoraxBench, Appendix C and Table 7",
        drawing.people,
    ),
    Statistic(
        "crossed",
        _("Ethnicity and domicile"),
        _(
            "People who took part in the release and agreed to be counted. A number below the project's threshold, or "
            "from which one would follow, is not given; the last row is of everybody in such a group."
        ),
        "id-csqa, Appendix C and Table 10",
        drawing.ethnicity_by_domicile,
    ),
)


def get(key: str) -> Statistic:
    """The table of that name; KeyError where there is none."""
    return {each.key: each for each in STATISTICS}[key]
