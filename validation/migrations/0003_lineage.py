from django.db import migrations


class Migration(migrations.Migration):
    """What groups propose and what came of which prompt stands with the prompts now: annotation makes these tables.

    No row was ever stored here. The names of indexes are the same, so the old tables go first.
    """

    dependencies = [
        ('validation', '0002_prompts'),
    ]
    run_before = [
        ('annotation', '0004_lineage'),
    ]

    operations = [
        migrations.DeleteModel(name='Lineage'),
        migrations.DeleteModel(name='Remark'),
        migrations.DeleteModel(name='Suggestion'),
    ]
