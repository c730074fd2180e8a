"""Targets are changed by several leads at once: a number tells a page that is behind."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_pay'),
    ]

    operations = [
        migrations.AddField(
            model_name='lane',
            name='version',
            field=models.PositiveIntegerField(default=1),
        ),
    ]
