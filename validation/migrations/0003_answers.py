from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('validation', '0002_keys_of_votes'),
    ]

    operations = [
        migrations.AddField(
            model_name='review',
            name='answers',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
