from django.db import migrations


def leave_room(apps, schema_editor):
    """PostgreSQL: half of each page stays free, so that the second writing of a row touches no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE exports_releaserow SET (fillfactor = 50)")


def leave_none(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE exports_releaserow RESET (fillfactor)")


class Migration(migrations.Migration):
    dependencies = [("exports", "0001_initial")]
    operations = [migrations.RunPython(leave_room, leave_none)]
