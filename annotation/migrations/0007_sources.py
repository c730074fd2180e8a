from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_label_check"),
        ("annotation", "0008_targets"),
    ]

    operations = [
        migrations.AddField("sourceunit", "dropped", models.JSONField(blank=True, default=list)),
        migrations.AddField(
            "sourceunit", "body", models.TextField(blank=True, default=""), preserve_default=False
        ),
        migrations.AddField(
            "import",
            "what",
            models.CharField(
                choices=[("items", "Items"), ("source_set", "Source Set")], default="items", max_length=10
            ),
        ),
    ]
