import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The rows of source sets that a release froze, with their texts."""

    dependencies = [("exports", "0002_room_in_pages")]

    operations = [
        migrations.CreateModel(
            name="ReleaseSource",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source_set", models.CharField(max_length=40)),
                ("task", models.CharField(max_length=40)),
                ("shape", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=200)),
                ("unit", models.CharField(max_length=200)),
                ("unit_revision", models.PositiveIntegerField()),
                ("position", models.PositiveIntegerField()),
                ("label", models.CharField(blank=True, max_length=200)),
                ("split", models.CharField(blank=True, max_length=20)),
                ("data", models.JSONField()),
                ("names", models.JSONField()),
                ("texts", models.JSONField()),
                ("unanswerable", models.BooleanField()),
                (
                    "release",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sources",
                        to="exports.release",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="releasesource",
            index=models.Index(fields=["release", "id"], name="release_source_order"),
        ),
    ]
