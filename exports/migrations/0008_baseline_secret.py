from django.db import migrations, models

import annotation.models.project


class Migration(migrations.Migration):

    dependencies = [
        ('exports', '0007_rows_as_they_lie'),
        ('annotation', '0017_projects_have_secrets'),
    ]

    operations = [
        migrations.AddField(
            model_name='baseline',
            name='secret',
            field=models.CharField(blank=True, db_default='', default=annotation.models.project.new_secret, editable=False, max_length=64),
        ),
    ]
