from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exports", "0005_signing_keys")]

    operations = [
        migrations.AddField("signingkey", "revoked_at", models.DateTimeField(blank=True, null=True)),
    ]
