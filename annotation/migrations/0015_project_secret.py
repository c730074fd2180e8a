from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0014_about"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="secret",
            field=models.CharField(blank=True, default="", editable=False, max_length=64),
            preserve_default=False,
        ),
    ]
