"""Entries of the ledger are named by tokens, and hold large sums of small currencies."""

import uuid

from django.db import migrations, models

UNITS = [
    ("sentence", "sentence"),
    ("field", "field"),
    ("item", "item"),
    ("vote", "vote"),
    ("set", "set"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_label_check")]

    operations = [
        migrations.AddField(
            model_name="ledgerentry",
            name="token",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name="ledgerentry",
            name="amount",
            field=models.DecimalField(decimal_places=4, max_digits=20),
        ),
        *(
            migrations.AlterField(
                model_name=name, name="unit", field=models.CharField(choices=UNITS, max_length=10)
            )
            for name in ("ledgerentry", "rate")
        ),
    ]
