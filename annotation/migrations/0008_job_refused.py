from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_published_split")]
    operations = [
        migrations.AddField(
            model_name="job",
            name="refused",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
