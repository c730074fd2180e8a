from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('validation', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='review',
            name='answers',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
