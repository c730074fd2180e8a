"""Who took part in making a family of prompts, and so is never offered one of it (domain.md §2, §6; Kalahi §3.2).

One list of the places where that stands, read in two ways: as a condition on one person, inside the statements of the
vote path, and as a query for everybody. The same on PostgreSQL and SQLite.
"""

from collections.abc import Collection

from annotation.core.database import fetch_rows

_SUGGESTION_JOIN = "annotation_item f JOIN annotation_suggestion x ON x.item_id = f.id"
# Where a family's prompts (`f`) are taken from, and the column that names somebody.
CONTRIBUTION_TABLES: tuple[tuple[str, str], ...] = (
    ("annotation_item f", "f.author_id"),
    ("annotation_item f JOIN annotation_revision x ON x.item_id = f.id", "x.by_id"),
    # Whoever was given a prompt to make a variation of it has its responses before them, handed in or not.
    ("annotation_item f JOIN annotation_allocation x ON x.origin_id = f.id", "x.writer_id"),
    # What a prompt was made from has mostly the same responses, in whatever family it is.
    (
        "annotation_item f JOIN annotation_lineage n ON n.item_id = f.id JOIN annotation_item x ON x.id = n.origin_id",
        "x.author_id",
    ),
    (_SUGGESTION_JOIN, "x.by_id"),
    (_SUGGESTION_JOIN, "x.decided_by_id"),
    (f"{_SUGGESTION_JOIN} JOIN annotation_remark r ON r.suggestion_id = x.id", "r.by_id"),
    ("annotation_item f JOIN annotation_secondlook x ON x.item_id = f.id", "x.annotator_id"),
    (
        "annotation_item f JOIN validation_proposal x ON x.item_id = f.id AND x.state = 'accepted'",
        "x.by_id",
    ),
    # Whoever was shown something made from the prompt in a study: an output that a model wrote for it.
    (
        "annotation_item f JOIN validation_studyrow g ON g.of_item_id = f.id "
        "JOIN validation_assignment s ON s.item_id = g.item_id AND s.state <> 'barred' "
        "JOIN annotation_annotator w ON w.id = s.annotator_id "
        "JOIN annotation_annotator x ON x.user_id = w.user_id AND x.project_id = f.project_id",
        "x.id",
    ),
    # A group reviewer may look at every prompt of the project, a word said or not; so may its writers from the first
    # group review on, for their second pass.
    (
        "annotation_item f JOIN annotation_annotator x ON x.project_id = f.project_id AND x.is_reviewer",
        "x.id",
    ),
    (
        "annotation_item f JOIN annotation_annotator x ON x.project_id = f.project_id AND x.is_writer "
        "JOIN annotation_session z ON z.project_id = f.project_id AND z.purpose = 'review'",
        "x.id",
    ),
)


def took_part_sql(project: str, family: str, annotator: str) -> str:
    """The condition that this person took part in this family: three expressions of SQL in, one out."""
    return " OR ".join(
        f"EXISTS (SELECT 1 FROM {place} WHERE f.project_id = {project} AND f.family = {family} "  # noqa: S608
        f"AND {who} = {annotator})"
        for place, who in CONTRIBUTION_TABLES
    )


def contributors_of(project: int, families: Collection[int]) -> set[tuple[int, int]]:
    """Everybody who took part in these families, as pairs of family and annotator: one statement."""
    if not families:
        return set()
    listed = ", ".join(["%s"] * len(families))
    parts = [
        f"SELECT f.family, {who} FROM {place} "  # noqa: S608 - our own names, values are parameters
        f"WHERE f.project_id = %s AND f.family IN ({listed}) AND {who} IS NOT NULL"
        for place, who in CONTRIBUTION_TABLES
    ]
    found = fetch_rows(" UNION ".join(parts), [project, *families] * len(parts))
    return {(int(family), int(who)) for family, who in found}


def is_contributor(project: int, family: int, annotator: int) -> bool:
    """Whether one person took part in one family."""
    condition = took_part_sql("%s", "%s", "%s")
    ((found,),) = fetch_rows(f"SELECT {condition}", [project, family, annotator] * len(CONTRIBUTION_TABLES))
    return bool(found)
