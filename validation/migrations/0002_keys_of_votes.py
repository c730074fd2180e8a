from django.db import migrations

from annotation.core.create_models import HeldWithProject


class Migration(migrations.Migration):
    """One key of a vote, and of what comes of votes, for the item and its project."""

    dependencies = [
        ('validation', '0001_initial'),
        ('annotation', '0003_keys_of_items'),
    ]

    operations = [
        HeldWithProject(
            'annotation_item',
            ('validation_vote', 'item_id'),
            ('validation_verdict', 'item_id'),
            ('validation_flag', 'item_id'),
            ('validation_assignment', 'item_id'),
        ),
    ]
