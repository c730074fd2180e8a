import secrets

import annotation.models.project
from django.db import migrations, models


def give(apps, schema_editor):
    """Every project has a secret: ids in its releases are drawn with it."""
    projects = apps.get_model("annotation", "Project").objects.using(schema_editor.connection.alias)
    for pk in projects.filter(secret="").order_by("pk").values_list("pk", flat=True):
        projects.filter(pk=pk, secret="").update(secret=secrets.token_hex(32))


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0016_job_farthest"),
    ]

    operations = [
        migrations.AlterField(
            model_name="project",
            name="secret",
            field=models.CharField(
                blank=True, default=annotation.models.project.new_secret, editable=False, max_length=64
            ),
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
