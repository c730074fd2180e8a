"""Evaluations are studies: projects derived from another one (validation/studies)."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("exports", "0001_initial"), ("validation", "0004_studies")]

    operations = [migrations.DeleteModel("EvaluationRow"), migrations.DeleteModel("Evaluation")]
