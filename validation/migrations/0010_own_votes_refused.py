from django.db import migrations, models

from validation import guards


def on_postgresql(statements):
    """On SQLite the command `migrate` sets the triggers, after the last migration."""

    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(statements, params=None)

    return run


class Migration(migrations.Migration):

    dependencies = [
        ('validation', '0009_withdrawn_votes'),
        ('annotation', '0016_job_farthest'),
    ]

    operations = [
        migrations.AddField(
            model_name='seat',
            name='by_secret',
            field=models.BooleanField(db_default=False),
        ),
        migrations.RunPython(on_postgresql(guards.POSTGRESQL), on_postgresql(guards.POSTGRESQL_UNDONE)),
    ]
