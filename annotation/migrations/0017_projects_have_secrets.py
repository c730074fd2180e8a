from django.db import migrations, models

import annotation.models.project


def fill(apps, schema_editor):
    project = apps.get_model("annotation", "Project")
    for pk in project.objects.filter(secret="").values_list("pk", flat=True):
        project.objects.filter(pk=pk, secret="").update(secret=annotation.models.project.new_secret())


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_job_farthest'),
    ]

    operations = [
        migrations.AlterField(
            model_name='project',
            name='secret',
            field=models.CharField(blank=True, default=annotation.models.project.new_secret, editable=False, max_length=64),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
