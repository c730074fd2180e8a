"""A pair of a comparison is named by a token, so that no address tells its place or how many there are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("validation", "0005_machine")]

    operations = [
        migrations.AddField(
            model_name="comparisonpair",
            name="token",
            field=models.CharField(max_length=32, unique=True, default=""),
            preserve_default=False,
        ),
    ]
