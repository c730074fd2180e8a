"""A translation's fields have longer names than other texts: `field-continuation-A.12`."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("validation", "0003_lineage")]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="field",
            field=models.CharField(max_length=60),
        ),
    ]
