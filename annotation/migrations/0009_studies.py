"""Studies are projects of their own: label checks lose their tables, raters are validators there, and a target can be
its members' alone.
"""

from django.db import migrations, models


def close_targets(apps, schema_editor):
    """Targets of translations were their members' alone by their project's kind."""
    apps.get_model("annotation", "Target").objects.filter(project__kind="translation").update(
        members_only=True
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_task_versions")]

    operations = [
        migrations.AddField("target", "members_only", models.BooleanField(db_default=False, default=False)),
        migrations.RunPython(close_targets, migrations.RunPython.noop),
        migrations.RemoveField("annotator", "is_rater"),
        migrations.RemoveField("invitation", "is_rater"),
        migrations.DeleteModel("LabelCheckRow"),
        migrations.DeleteModel("LabelCheck"),
    ]
