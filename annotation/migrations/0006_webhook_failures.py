from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_media_originals")]
    operations = [
        migrations.AddField(
            model_name="webhook",
            name="failures",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
