from django.db import migrations, models


class Migration(migrations.Migration):
    """One more reason for which a gold question is taken out: the column is as it was."""

    dependencies = [("validation", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="goldquestion",
                    name="retired_why",
                    field=models.CharField(
                        blank=True,
                        choices=[
                            ("team", "Team"),
                            ("missed", "Missed"),
                            ("changed", "Changed"),
                            ("lead", "Lead"),
                            ("public", "Public"),
                        ],
                        max_length=8,
                    ),
                )
            ]
        )
    ]
