import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


from annotation.core.create_models import CreateModels


def leave_room(apps, schema_editor):
    """PostgreSQL: half of each page stays free, so that the second writing of a row touches no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE exports_releaserow SET (fillfactor = 50)")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0002_projects'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Release',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('n', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('frozen', 'being built'), ('ready', 'ready'), ('failed', 'failed')], default='frozen', max_length=8)),
                    ('rules', models.JSONField(default=dict)),
                    ('counts', models.JSONField(default=dict)),
                    ('manifest', models.JSONField(default=dict)),
                    ('context', models.JSONField(default=dict)),
                    ('path', models.CharField(blank=True, max_length=255)),
                    ('suffix', models.CharField(blank=True, max_length=40)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='release_of', to='annotation.job')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='annotation.project')),
                    ('whole', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='exports.release')),
                ],
            ),
            migrations.CreateModel(
                name='Predictions',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('n', models.PositiveIntegerField()),
                    ('model', models.CharField(max_length=120)),
                    ('digest', models.CharField(max_length=64)),
                    ('given', models.JSONField(default=dict)),
                    ('outcomes', models.JSONField(default=dict)),
                    ('result', models.JSONField(default=dict)),
                    ('baseline', models.BooleanField(default=False)),
                    ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('job', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='predictions_of', to='annotation.job')),
                    ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='predictions', to='exports.release')),
                ],
            ),
            migrations.CreateModel(
                name='ReleaseRow',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('order', models.BigIntegerField()),
                    ('key', models.CharField(max_length=220)),
                    ('version', models.PositiveIntegerField()),
                    ('revision_n', models.PositiveIntegerField()),
                    ('votes_n', models.PositiveIntegerField()),
                    ('epoch', models.PositiveSmallIntegerField()),
                    ('stage', models.CharField(max_length=14)),
                    ('round', models.PositiveSmallIntegerField()),
                    ('sampled', models.BooleanField()),
                    ('author_label', models.CharField(blank=True, max_length=40)),
                    ('gold', models.CharField(blank=True, max_length=40)),
                    ('gold_from', models.CharField(blank=True, max_length=10)),
                    ('split', models.CharField(blank=True, max_length=20)),
                    ('label', models.CharField(blank=True, max_length=40)),
                    ('label_source', models.CharField(blank=True, max_length=12)),
                    ('left_out', models.CharField(blank=True, max_length=40)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='release_rows', to='annotation.item')),
                    ('release', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='rows', to='exports.release')),
                ],
            ),
            migrations.CreateModel(
                name='ReleaseSource',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source_set', models.CharField(max_length=40)),
                    ('task', models.CharField(max_length=40)),
                    ('shape', models.CharField(max_length=20)),
                    ('key', models.CharField(max_length=200)),
                    ('unit', models.CharField(max_length=200)),
                    ('unit_revision', models.PositiveIntegerField()),
                    ('position', models.PositiveIntegerField()),
                    ('label', models.CharField(blank=True, max_length=200)),
                    ('split', models.CharField(blank=True, max_length=20)),
                    ('data', models.JSONField()),
                    ('names', models.JSONField()),
                    ('texts', models.JSONField()),
                    ('unanswerable', models.BooleanField()),
                    ('release', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='exports.release')),
                ],
            ),
            migrations.CreateModel(
                name='TaskPrompt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('task', models.CharField(max_length=40)),
                    ('name', models.CharField(max_length=40)),
                    ('n', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('ended', models.BooleanField(default=False)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='task_prompts', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='ReleaseStatistics',
                fields=[
                    ('release', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='statistics', serialize=False, to='exports.release')),
                    ('tables', models.JSONField(default=dict)),
                    ('people', models.JSONField(default=dict)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('job', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.job')),
                ],
            ),
            migrations.CreateModel(
                name='Leaderboard',
                fields=[
                    ('release', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='leaderboard', serialize=False, to='exports.release')),
                    ('public', models.BooleanField()),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Publication',
                fields=[
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('release', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='publication', serialize=False, to='exports.release')),
                    ('public', models.BooleanField(default=False)),
                    ('title', models.CharField(max_length=200)),
                    ('creators', models.JSONField(default=list)),
                    ('publisher', models.CharField(max_length=200)),
                    ('year', models.PositiveSmallIntegerField()),
                    ('description', models.TextField(blank=True)),
                    ('keywords', models.CharField(blank=True, max_length=300)),
                    ('doi', models.CharField(blank=True, max_length=200)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='Erratum',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('n', models.PositiveIntegerField()),
                    ('item', models.CharField(blank=True, max_length=220)),
                    ('text', models.TextField()),
                    ('state', models.CharField(choices=[('open', 'Open'), ('answered', 'Answered'), ('hidden', 'Hidden')], default='open', max_length=8)),
                    ('answer', models.TextField(blank=True)),
                    ('answered_at', models.DateTimeField(blank=True, null=True)),
                    ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='errata', to='exports.release')),
                ],
            ),
            migrations.AddConstraint(
                model_name='erratum',
                constraint=models.UniqueConstraint(fields=('release', 'n'), name='erratum_number_once'),
            ),
            migrations.AddConstraint(
                model_name='erratum',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'answered'), _negated=True), models.Q(('answer', ''), _negated=True), _connector='OR'), name='erratum_answered_in_words'),
            ),
            migrations.AddConstraint(
                model_name='release',
                constraint=models.UniqueConstraint(fields=('project', 'n'), name='release_number_once'),
            ),
            migrations.AddConstraint(
                model_name='release',
                constraint=models.UniqueConstraint(condition=models.Q(('whole__isnull', False)), fields=('whole', 'suffix'), name='release_part_once'),
            ),
            migrations.AddConstraint(
                model_name='predictions',
                constraint=models.UniqueConstraint(fields=('release', 'n'), name='predictions_number_once'),
            ),
            migrations.AddConstraint(
                model_name='predictions',
                constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('release', 'model', 'digest'), name='predictions_file_once'),
            ),
            migrations.AddConstraint(
                model_name='predictions',
                constraint=models.UniqueConstraint(condition=models.Q(('baseline', True)), fields=('release',), name='predictions_baseline_once'),
            ),
            migrations.AddIndex(
                model_name='releaserow',
                index=models.Index(fields=['release', 'id'], name='release_row_window'),
            ),
            migrations.AddConstraint(
                model_name='releaserow',
                constraint=models.UniqueConstraint(fields=('item', 'release'), name='release_row_once'),
            ),
            migrations.AddIndex(
                model_name='releasesource',
                index=models.Index(fields=['release', 'id'], name='release_source_order'),
            ),
            migrations.AddConstraint(
                model_name='taskprompt',
                constraint=models.UniqueConstraint(fields=('project', 'task', 'name', 'n'), name='task_prompt_number_once'),
            ),
        ]),
        migrations.RunPython(leave_room, migrations.RunPython.noop),
    ]
