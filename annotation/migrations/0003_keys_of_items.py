import django.db.models.deletion
from django.db import migrations, models

from annotation.core.create_models import HeldWithProject, StateOnly


class Migration(migrations.Migration):
    """Fewer indexes and keys for a row of an import: what another one says too, and what is empty in most rows."""

    dependencies = [
        ('annotation', '0002_projects'),
    ]

    operations = [
        StateOnly(
            database_operations=[
                migrations.RunSQL(
                    [
                        'DROP INDEX IF EXISTS annotation_item_allocation_id_8c644e29',
                        'DROP INDEX IF EXISTS annotation_item_author_id_d53205be',
                        'DROP INDEX IF EXISTS annotation_item_project_id_2466b61c',
                        'DROP INDEX IF EXISTS annotation_premise_project_id_e770462b',
                        'DROP INDEX IF EXISTS annotation_premise_text_hash_500e3efe',
                        'DROP INDEX IF EXISTS annotation_premise_text_hash_500e3efe_like',
                        'CREATE INDEX item_author ON annotation_item (author_id) WHERE author_id IS NOT NULL',
                        'CREATE INDEX item_allocation ON annotation_item (allocation_id) WHERE allocation_id IS NOT NULL',
                        'CREATE INDEX premise_text ON annotation_premise (project_id, text_hash)',
                    ],
                    [
                        'DROP INDEX item_author',
                        'DROP INDEX item_allocation',
                        'DROP INDEX premise_text',
                        'CREATE INDEX annotation_item_allocation_id_8c644e29 ON annotation_item (allocation_id)',
                        'CREATE INDEX annotation_item_author_id_d53205be ON annotation_item (author_id)',
                        'CREATE INDEX annotation_item_project_id_2466b61c ON annotation_item (project_id)',
                        'CREATE INDEX annotation_premise_project_id_e770462b ON annotation_premise (project_id)',
                        'CREATE INDEX annotation_premise_text_hash_500e3efe ON annotation_premise (text_hash)',
                    ],
                )
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='item',
                    name='allocation',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.allocation'),
                ),
                migrations.AlterField(
                    model_name='item',
                    name='author',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.annotator'),
                ),
                migrations.AlterField(
                    model_name='item',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='annotation.project'),
                ),
                migrations.AlterField(
                    model_name='premise',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='premises', to='annotation.project'),
                ),
                migrations.AlterField(
                    model_name='premise',
                    name='text_hash',
                    field=models.CharField(max_length=64),
                ),
                migrations.AddIndex(
                    model_name='item',
                    index=models.Index(condition=models.Q(('author__isnull', False)), fields=['author'], name='item_author'),
                ),
                migrations.AddIndex(
                    model_name='item',
                    index=models.Index(condition=models.Q(('allocation__isnull', False)), fields=['allocation'], name='item_allocation'),
                ),
                migrations.AddIndex(
                    model_name='premise',
                    index=models.Index(fields=['project', 'text_hash'], name='premise_text'),
                ),
            ],
        ),
        HeldWithProject(
            'annotation_target', ('annotation_premise', 'target_id'), ('annotation_item', 'target_id')
        ),
        HeldWithProject(
            'annotation_item',
            ('annotation_hypothesis', 'item_id'),
            ('annotation_qapair', 'item_id'),
            ('annotation_translation', 'item_id'),
            ('annotation_revision', 'item_id'),
        ),
    ]
