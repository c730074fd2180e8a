"""What the tables of votes refuse by triggers, since no constraint can look into another table."""

from django.db.backends.base.base import BaseDatabaseWrapper

TRIGGER_NAME = "vote_never_the_author"
VOTE_TABLE = "validation_vote"

# The row of the item is looked up by its key: some microseconds a vote, whatever the size of the project.
POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION {TRIGGER_NAME}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM annotation_item i WHERE i.id = NEW.item_id AND i.author_id = NEW.annotator_id) THEN
    RAISE EXCEPTION 'new row for relation "{VOTE_TABLE}" violates "{TRIGGER_NAME}": nobody votes on their own item'
      USING ERRCODE = 'check_violation', CONSTRAINT = '{TRIGGER_NAME}', TABLE = '{VOTE_TABLE}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER {TRIGGER_NAME} BEFORE INSERT OR UPDATE OF item_id, annotator_id ON {VOTE_TABLE}
  FOR EACH ROW EXECUTE FUNCTION {TRIGGER_NAME}();
"""  # noqa: S608 - our own names
POSTGRESQL_UNDONE = f"DROP TRIGGER {TRIGGER_NAME} ON {VOTE_TABLE}; DROP FUNCTION {TRIGGER_NAME}();"

# The statement that makes each trigger on SQLite, by its name; the database keeps it to the letter.
SQLITE = {
    name: f"""CREATE TRIGGER {name} BEFORE {event} ON {VOTE_TABLE}
WHEN EXISTS (SELECT 1 FROM annotation_item i WHERE i.id = NEW.item_id AND i.author_id = NEW.annotator_id)
BEGIN SELECT RAISE(ABORT, '{TRIGGER_NAME}: nobody votes on their own item'); END"""  # noqa: S608 - our own names
    for name, event in (
        (TRIGGER_NAME, "INSERT"),
        (f"{TRIGGER_NAME}_later", "UPDATE OF item_id, annotator_id"),
    )
}


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take SQLite's triggers away: while one names a table, SQLite does not let the table be made again."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for name in SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Set SQLite's triggers, where the tables are there; PostgreSQL's come with a migration."""
    if connection.vendor != "sqlite" or VOTE_TABLE not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        for name, statement in SQLITE.items():
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            cursor.execute(statement)
