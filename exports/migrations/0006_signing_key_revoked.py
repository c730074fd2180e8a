from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exports", "0005_signing_keys")]

    operations = [
        migrations.AddField("signingkey", "revoked_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddConstraint(
            "signingkey",
            models.CheckConstraint(
                condition=models.Q(("revoked_at__isnull", True), ("ended_at__isnull", False), _connector="OR"),
                name="signing_key_revoked_has_ended",
            ),
        ),
    ]
