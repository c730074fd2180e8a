from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_feed'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='gold_answers',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
