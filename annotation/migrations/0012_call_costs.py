"""Calls count the sendings that may have been paid, and what a project spent is summed from an index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0011_material_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="call",
            name="doubts",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(fields=["project", "cost"], name="call_cost"),
        ),
    ]
