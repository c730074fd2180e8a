"""What the tables of votes refuse by triggers, since no constraint can look into another table."""

from django.db.backends.base.base import BaseDatabaseWrapper

NAME = "vote_never_the_author"
VOTES = "validation_vote"

# The row of the item is looked up by its key: some microseconds a vote, whatever the size of the project.
POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM annotation_item i WHERE i.id = NEW.item_id AND i.author_id = NEW.annotator_id) THEN
    RAISE EXCEPTION 'new row for relation "{VOTES}" violates "{NAME}": nobody votes on their own item'
      USING ERRCODE = 'check_violation', CONSTRAINT = '{NAME}', TABLE = '{VOTES}';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER {NAME} BEFORE INSERT OR UPDATE OF item_id, annotator_id ON {VOTES}
  FOR EACH ROW EXECUTE FUNCTION {NAME}();
"""  # noqa: S608 - our own names
POSTGRESQL_UNDONE = f"DROP TRIGGER {NAME} ON {VOTES}; DROP FUNCTION {NAME}();"

# The statement that makes each trigger on SQLite, by its name; the database keeps it to the letter.
SQLITE = {
    name: f"""CREATE TRIGGER {name} BEFORE {event} ON {VOTES}
WHEN EXISTS (SELECT 1 FROM annotation_item i WHERE i.id = NEW.item_id AND i.author_id = NEW.annotator_id)
BEGIN SELECT RAISE(ABORT, '{NAME}: nobody votes on their own item'); END"""  # noqa: S608 - our own names
    for name, event in ((NAME, "INSERT"), (f"{NAME}_later", "UPDATE OF item_id, annotator_id"))
}


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take SQLite's triggers away: while one names a table, SQLite does not let the table be made again."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for name in SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Set SQLite's triggers, where the tables are there; PostgreSQL's come with a migration."""
    if connection.vendor != "sqlite" or VOTES not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        for name, statement in SQLITE.items():
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            cursor.execute(statement)
