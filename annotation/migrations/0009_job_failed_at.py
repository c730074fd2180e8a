from django.db import migrations, models

from annotation.core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0008_job_refused")]
    operations = [
        AddIndexMeanwhile(
            model_name="job",
            index=models.Index(
                fields=["finished_at"], condition=models.Q(state="failed", refused=False), name="job_failed_at"
            ),
        ),
    ]
