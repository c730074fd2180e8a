import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


from annotation.core.create_models import CreateModels, HeldWithProject
from validation.voting import triggers


def make_trigger(apps, schema_editor):
    """PostgreSQL: on SQLite the command `migrate` makes the triggers, after the last migration."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(triggers.POSTGRESQL, params=None)


def drop_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(triggers.POSTGRESQL_UNDONE, params=None)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0002_projects'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Dealing',
                fields=[
                    ('target', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='dealing', serialize=False, to='annotation.target')),
                    ('limits', models.JSONField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ],
            ),
            migrations.CreateModel(
                name='Comment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='GoldStanding',
                fields=[
                    ('annotator', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='gold_standing', serialize=False, to='annotation.annotator')),
                    ('answered', models.PositiveIntegerField()),
                    ('right', models.PositiveIntegerField()),
                    ('all_answered', models.PositiveIntegerField()),
                    ('all_right', models.PositiveIntegerField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('all_right__lte', models.F('all_answered')), ('right__lte', models.F('answered'))), name='gold_standing_right_of_answered')],
                },
            ),
            migrations.CreateModel(
                name='NoticeState',
                fields=[
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='notices', serialize=False, to=settings.AUTH_USER_MODEL)),
                    ('seen_at', models.DateTimeField(blank=True, null=True)),
                    ('mails', models.BooleanField(default=True)),
                    ('zone', models.CharField(blank=True, max_length=60)),
                    ('day', models.DateField(blank=True, null=True)),
                    ('mailed_until', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('mailed_until__isnull', True), ('day__isnull', False), _connector='OR'), name='notices_mailed_on_a_day')],
                },
            ),
            migrations.CreateModel(
                name='Question',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('role', models.CharField(blank=True, choices=[('writing', 'Writing'), ('validation', 'Voting')], max_length=12)),
                    ('section', models.CharField(blank=True, max_length=200)),
                    ('text', models.TextField()),
                    ('published_question', models.TextField(blank=True)),
                    ('published_answer', models.TextField(blank=True)),
                    ('published_at', models.DateTimeField(blank=True, null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='annotation.annotator')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='annotation.project')),
                    ('revision', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.revision')),
                ],
            ),
            migrations.CreateModel(
                name='QuizAttempt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('role', models.CharField(choices=[('validator', 'Voters'), ('writer', 'Writers')], default='validator', max_length=10)),
                    ('n', models.PositiveSmallIntegerField()),
                    ('training', models.BooleanField(default=False)),
                    ('items', models.JSONField()),
                    ('answers', models.JSONField(default=dict)),
                    ('asked', models.PositiveSmallIntegerField()),
                    ('needed', models.PositiveSmallIntegerField()),
                    ('right', models.PositiveSmallIntegerField(default=0)),
                    ('done_at', models.DateTimeField(blank=True, null=True)),
                    ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quiz_attempts', to='annotation.annotator')),
                ],
            ),
            migrations.CreateModel(
                name='QuizItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('accepted', models.JSONField()),
                    ('explanation', models.TextField(blank=True)),
                    ('role', models.CharField(choices=[('validator', 'Voters'), ('writer', 'Writers')], default='validator', max_length=10)),
                    ('training', models.BooleanField(default=False)),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='asked_in_quiz', to='annotation.item')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quiz_items', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='Reply',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by_asker', models.BooleanField(default=False)),
                    ('text', models.TextField()),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='validation.question')),
                ],
            ),
            migrations.CreateModel(
                name='Review',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField()),
                    ('event', models.CharField(max_length=20)),
                    ('error_type', models.CharField(blank=True, max_length=60)),
                    ('words', models.TextField(blank=True)),
                    ('label', models.CharField(blank=True, max_length=40)),
                    ('answers', models.JSONField(blank=True, null=True)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.item')),
                    ('job', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.job')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='SetAside',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('reason', models.TextField()),
                    ('items', models.JSONField()),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='set_asides', to='annotation.annotator')),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('job', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.job')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                    ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            migrations.CreateModel(
                name='StopStep',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('n', models.PositiveIntegerField()),
                    ('epoch', models.PositiveSmallIntegerField()),
                    ('event', models.CharField(choices=[('first', 'first'), ('outcome', 'outcome')], max_length=8)),
                    ('agrees', models.BooleanField()),
                    ('doubt', models.BooleanField()),
                    ('route', models.CharField(max_length=14)),
                    ('q', models.FloatField(null=True)),
                    ('changed', models.BooleanField(null=True)),
                    ('account', models.JSONField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='stop_steps', to='annotation.item')),
                    ('protocol', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='stop_steps', to='annotation.protocolversion')),
                ],
            ),
            migrations.CreateModel(
                name='Study',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('kind', models.CharField(max_length=20)),
                    ('n', models.PositiveIntegerField()),
                    ('seed', models.CharField(max_length=80)),
                    ('options', models.JSONField(blank=True, default=dict)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('derived_from', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.project')),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='study', to='annotation.project')),
                ],
                options={
                    'verbose_name_plural': 'studies',
                },
            ),
            migrations.CreateModel(
                name='StudyRow',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('revision_n', models.PositiveIntegerField(blank=True, null=True)),
                    ('position', models.PositiveIntegerField()),
                    ('data', models.JSONField(blank=True, default=dict)),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='study_row', to='annotation.item')),
                    ('of_item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='studied', to='annotation.item')),
                    ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='rows', to='validation.study')),
                ],
            ),
            migrations.CreateModel(
                name='Verdict',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField()),
                    ('epoch', models.PositiveSmallIntegerField()),
                    ('event', models.CharField(max_length=20)),
                    ('round', models.PositiveSmallIntegerField()),
                    ('asked', models.PositiveSmallIntegerField(default=0)),
                    ('label', models.CharField(blank=True, max_length=40)),
                    ('hopeless', models.BooleanField(default=False)),
                    ('votes_n', models.PositiveIntegerField(default=0)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='Vote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('n', models.PositiveIntegerField()),
                    ('epoch', models.PositiveSmallIntegerField()),
                    ('round', models.PositiveSmallIntegerField()),
                    ('revision_n', models.PositiveIntegerField()),
                    ('label', models.CharField(max_length=40)),
                    ('answers', models.JSONField(blank=True, default=dict)),
                    ('unsure', models.BooleanField(null=True)),
                    ('ambiguous', models.BooleanField(null=True)),
                    ('comment', models.TextField(blank=True)),
                    ('client_id', models.UUIDField(blank=True, editable=False, null=True)),
                    ('seconds', models.FloatField(blank=True, null=True)),
                    ('imported', models.BooleanField(default=False)),
                    ('surplus', models.BooleanField(default=False)),
                    ('cast_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                    ('withdrawn_version', models.PositiveIntegerField(blank=True, null=True)),
                    ('withdrawn_why', models.CharField(blank=True, max_length=12)),
                    ('withdrawn_reason', models.TextField(blank=True)),
                    ('annotator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.annotator')),
                    ('guideline', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.guidelineversion')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.project')),
                ],
            ),
            migrations.CreateModel(
                name='SetAsideVote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('act', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='validation.setaside')),
                    ('restored', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='restores', to='validation.vote')),
                    ('vote', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='set_aside', to='validation.vote')),
                ],
            ),
            migrations.CreateModel(
                name='Repeat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='repeats', to='annotation.annotator')),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='repeat', to='annotation.item')),
                    ('of_vote', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='repeated', to='validation.vote')),
                ],
            ),
            migrations.CreateModel(
                name='Proposal',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('field', models.CharField(max_length=60)),
                    ('text', models.TextField()),
                    ('revision_n', models.PositiveIntegerField()),
                    ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('declined', 'declined'), ('taken_back', 'taken back')], default='open', max_length=10)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('words', models.TextField(blank=True)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('decided_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                    ('vote', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='validation.vote')),
                ],
            ),
            migrations.CreateModel(
                name='Assessment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('part', models.CharField(max_length=10)),
                    ('n', models.PositiveIntegerField()),
                    ('error', models.CharField(blank=True, max_length=30)),
                    ('notes', models.TextField(blank=True)),
                    ('revision_n', models.PositiveIntegerField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assessments', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assessments', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(fields=['project', 'part', 'error'], name='assessment_table')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'part', 'n'), name='assessment_number_once')],
                },
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('epoch', models.PositiveSmallIntegerField(default=1)),
                    ('round', models.PositiveSmallIntegerField(default=1)),
                    ('revision_n', models.PositiveIntegerField(default=1)),
                    ('state', models.CharField(choices=[('barred', 'barred'), ('open', 'open'), ('done', 'done'), ('skipped', 'passed'), ('expired', 'expired')], max_length=8)),
                    ('token', models.CharField(max_length=32)),
                    ('until', models.DateTimeField(blank=True, null=True)),
                    ('opened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('reason', models.CharField(blank=True, max_length=300)),
                    ('by_secret', models.BooleanField(db_default=False)),
                    ('place', models.PositiveSmallIntegerField(db_default=0)),
                    ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.annotator')),
                    ('author', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                    ('target', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.target')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['until'], name='assignment_open_until')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'annotator'), name='assignment_once_a_person'), models.UniqueConstraint(fields=('token',), name='assignment_token_once'), models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('annotator', 'target', 'place'), name='assignment_one_open_a_place'), models.CheckConstraint(condition=models.Q(('place__lte', 26)), name='assignment_not_too_many_ahead'), models.CheckConstraint(condition=models.Q(('author__isnull', True), models.Q(('annotator', models.F('author')), _negated=True), _connector='OR'), name='assignment_never_the_author'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), _negated=True), ('until__isnull', False), _connector='OR'), name='assignment_open_has_an_end')],
                },
            ),
            migrations.CreateModel(
                name='Cursor',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('positions', models.JSONField(default=dict)),
                    ('recent', models.JSONField(default=list)),
                    ('dealt', models.JSONField(blank=True, null=True)),
                    ('dealt_at', models.DateTimeField(blank=True, null=True)),
                    ('annotator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('target', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.target')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('annotator', 'target'), name='cursor_once_a_target')],
                },
            ),
            migrations.CreateModel(
                name='Flag',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.CharField(max_length=30)),
                    ('detail', models.JSONField(blank=True, default=dict)),
                    ('version', models.PositiveIntegerField()),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ('closed_version', models.PositiveIntegerField(blank=True, null=True)),
                    ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.annotator')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='annotation.item')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='flags', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('item', 'code'), name='flag_open_once'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('closed_version__isnull', True)), models.Q(('closed_at__isnull', False), ('closed_version__isnull', False)), _connector='OR'), name='flag_closed_at_a_step')],
                },
            ),
            migrations.CreateModel(
                name='GoldQuestion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('epoch', models.PositiveSmallIntegerField()),
                    ('accepted', models.JSONField()),
                    ('most', models.PositiveSmallIntegerField()),
                    ('retired_at', models.DateTimeField(blank=True, null=True)),
                    ('retired_why', models.CharField(blank=True, choices=[('team', 'Team'), ('missed', 'Missed'), ('changed', 'Changed'), ('lead', 'Lead')], max_length=8)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='gold_question', to='annotation.item')),
                    ('of_item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='asked_as_gold', to='annotation.item')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold_questions', to='annotation.project')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('item', models.F('of_item')), _negated=True), name='gold_question_is_a_copy'), models.CheckConstraint(condition=models.Q(('most__gte', 1)), name='gold_question_asked_of_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('retired_at__isnull', True), ('retired_why', '')), models.Q(('retired_at__isnull', False), models.Q(('retired_why', ''), _negated=True)), _connector='OR'), name='gold_question_retired_says_why')],
                },
            ),
            migrations.CreateModel(
                name='Insight',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.CharField(max_length=40)),
                    ('tables', models.JSONField(default=dict)),
                    ('state', models.CharField(max_length=64)),
                    ('items', models.PositiveIntegerField(default=0)),
                    ('votes', models.PositiveIntegerField(default=0)),
                    ('seconds', models.FloatField(default=0)),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('job', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.job')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='insights', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'slug'), name='insight_once')],
                },
            ),
            migrations.CreateModel(
                name='InsightPoint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('curve', models.CharField(max_length=40)),
                    ('day', models.DateField()),
                    ('figures', models.JSONField()),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'curve', 'day'), name='insight_point_once')],
                },
            ),
            migrations.CreateModel(
                name='Measure',
                fields=[
                    ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='measure', serialize=False, to='annotation.item')),
                    ('revision_n', models.PositiveIntegerField()),
                    ('figures', models.JSONField()),
                    ('sure', models.FloatField(blank=True, null=True)),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('sure__isnull', False)), fields=['project', '-sure', 'item'], name='measure_sure')],
                },
            ),
            migrations.CreateModel(
                name='ModelVote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('model', models.CharField(max_length=200)),
                    ('revision_n', models.PositiveIntegerField()),
                    ('label', models.CharField(blank=True, max_length=40)),
                    ('fault', models.CharField(blank=True, max_length=60)),
                    ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.endpoint')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='model_votes', to='annotation.item')),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='model_votes', to='annotation.project')),
                ],
                options={
                    'indexes': [models.Index(fields=['project', 'endpoint'], name='model_vote_of_project')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'endpoint', 'model', 'revision_n'), name='model_vote_once'), models.CheckConstraint(condition=models.Q(('label', ''), ('fault', ''), _connector='XOR'), name='model_vote_or_its_fault')],
                },
            ),
            migrations.CreateModel(
                name='Pause',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                    ('answered', models.PositiveIntegerField(default=0)),
                    ('right', models.PositiveIntegerField(default=0)),
                    ('reason', models.TextField(blank=True)),
                    ('decision', models.CharField(blank=True, choices=[('go_on', 'Go On'), ('stay', 'Stay')], max_length=6)),
                    ('words', models.TextField(blank=True)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('annotator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='pauses', to='annotation.annotator')),
                    ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('decision', 'go_on'), _negated=True), fields=('annotator',), name='pause_one_a_person'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('decision', '')), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), models.Q(('decision', ''), _negated=True), models.Q(('words', ''), _negated=True)), _connector='OR'), name='pause_decided_by_somebody'), models.CheckConstraint(condition=models.Q(('right__lte', models.F('answered'))), name='pause_right_of_answered')],
                },
            ),
            migrations.AddConstraint(
                model_name='question',
                constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='question_has_text'),
            ),
            migrations.AddConstraint(
                model_name='question',
                constraint=models.CheckConstraint(condition=models.Q(('revision__isnull', True), ('role', ''), _connector='OR'), name='question_about_one_thing'),
            ),
            migrations.AddConstraint(
                model_name='question',
                constraint=models.CheckConstraint(condition=models.Q(('section', ''), models.Q(('role', ''), _negated=True), _connector='OR'), name='question_section_of_guidelines'),
            ),
            migrations.AddConstraint(
                model_name='question',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('published_answer', ''), ('published_at__isnull', True), ('published_question', '')), models.Q(('published_at__isnull', False), models.Q(('published_question', ''), _negated=True), models.Q(('published_answer', ''), _negated=True)), _connector='OR'), name='question_published_whole'),
            ),
            migrations.AddConstraint(
                model_name='quizattempt',
                constraint=models.UniqueConstraint(fields=('annotator', 'role', 'training', 'n'), name='quiz_attempt_once'),
            ),
            migrations.AddConstraint(
                model_name='quizattempt',
                constraint=models.CheckConstraint(condition=models.Q(('role__in', ['validator', 'writer'])), name='quiz_attempt_role_known'),
            ),
            migrations.AddConstraint(
                model_name='quizattempt',
                constraint=models.CheckConstraint(condition=models.Q(('n__gte', 1), ('n__lte', 5)), name='quiz_attempt_five_at_most'),
            ),
            migrations.AddConstraint(
                model_name='quizattempt',
                constraint=models.CheckConstraint(condition=models.Q(('needed__lte', models.F('asked')), ('right__lte', models.F('asked'))), name='quiz_attempt_right_of_asked'),
            ),
            migrations.AddConstraint(
                model_name='quizitem',
                constraint=models.CheckConstraint(condition=models.Q(('role__in', ['validator', 'writer'])), name='quiz_item_role_known'),
            ),
            migrations.AddConstraint(
                model_name='reply',
                constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='reply_has_text'),
            ),
            migrations.AddIndex(
                model_name='review',
                index=models.Index(condition=models.Q(('job__isnull', False)), fields=['job'], name='review_of_many'),
            ),
            migrations.AddConstraint(
                model_name='review',
                constraint=models.UniqueConstraint(fields=('item', 'version'), name='review_step_once'),
            ),
            migrations.AddConstraint(
                model_name='setaside',
                constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='set_aside_has_a_reason'),
            ),
            migrations.AddConstraint(
                model_name='setaside',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('undone_at__isnull', True), ('undone_by__isnull', True)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False)), _connector='OR'), name='set_aside_undone_by_somebody'),
            ),
            migrations.AddIndex(
                model_name='stopstep',
                index=models.Index(fields=['item', '-n'], name='stop_step_of_item'),
            ),
            migrations.AddConstraint(
                model_name='stopstep',
                constraint=models.UniqueConstraint(fields=('protocol', 'n'), name='stop_step_number_once'),
            ),
            migrations.AddConstraint(
                model_name='stopstep',
                constraint=models.CheckConstraint(condition=models.Q(('q__isnull', True), models.Q(('q__gt', 0), ('q__lte', 1)), _connector='OR'), name='stop_step_q_is_a_chance'),
            ),
            migrations.AddConstraint(
                model_name='stopstep',
                constraint=models.CheckConstraint(condition=models.Q(('route__in', ('two_agree', 'audited', 'disagreement', 'doubt', 'panel'))), name='stop_step_route_is_known'),
            ),
            migrations.AddConstraint(
                model_name='stopstep',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('agrees', True), ('q__isnull', False), ('route', 'two_agree')), models.Q(('agrees', True), ('q__isnull', False), ('route', 'audited')), ('route__in', ['disagreement', 'doubt', 'panel']), _connector='OR'), name='stop_step_drawn_with_a_chance'),
            ),
            migrations.AddConstraint(
                model_name='study',
                constraint=models.UniqueConstraint(fields=('derived_from', 'kind', 'n'), name='study_number_once'),
            ),
            migrations.AddConstraint(
                model_name='study',
                constraint=models.CheckConstraint(condition=models.Q(('project', models.F('derived_from')), _negated=True), name='study_of_another_project'),
            ),
            migrations.AddConstraint(
                model_name='studyrow',
                constraint=models.UniqueConstraint(fields=('study', 'position'), name='study_place_once'),
            ),
            migrations.AddConstraint(
                model_name='studyrow',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('of_item__isnull', True), ('revision_n__isnull', True)), models.Q(('of_item__isnull', False), ('revision_n__isnull', False)), _connector='OR'), name='study_row_of_a_revision'),
            ),
            migrations.AddConstraint(
                model_name='verdict',
                constraint=models.UniqueConstraint(fields=('item', 'version'), name='verdict_step_once'),
            ),
            migrations.AddIndex(
                model_name='vote',
                index=models.Index(fields=['annotator', '-id'], name='vote_of_person'),
            ),
            migrations.AddIndex(
                model_name='vote',
                index=models.Index(condition=models.Q(('withdrawn_at__isnull', False)), fields=['project'], name='vote_withdrawn'),
            ),
            migrations.AddConstraint(
                model_name='vote',
                constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('item', 'epoch', 'annotator'), name='vote_one_standing'),
            ),
            migrations.AddConstraint(
                model_name='vote',
                constraint=models.UniqueConstraint(fields=('item', 'n'), name='vote_number_once'),
            ),
            migrations.AddConstraint(
                model_name='vote',
                constraint=models.UniqueConstraint(condition=models.Q(('client_id__isnull', False)), fields=('annotator', 'client_id'), name='vote_sent_once'),
            ),
            migrations.AddConstraint(
                model_name='vote',
                constraint=models.CheckConstraint(condition=models.Q(('imported', True), models.Q(('ambiguous__isnull', False), ('unsure__isnull', False)), _connector='OR'), name='vote_here_says_marks'),
            ),
            migrations.AddConstraint(
                model_name='vote',
                constraint=models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at__isnull', True), ('withdrawn_version__isnull', True), ('withdrawn_why', '')), models.Q(('withdrawn_at__isnull', False), ('withdrawn_version__isnull', False), models.Q(('withdrawn_why', ''), _negated=True)), _connector='OR'), name='vote_withdrawn_says_why'),
            ),
            migrations.AddConstraint(
                model_name='setasidevote',
                constraint=models.CheckConstraint(condition=models.Q(('restored__isnull', True), models.Q(('restored', models.F('vote')), _negated=True), _connector='OR'), name='set_aside_restored_by_another'),
            ),
            migrations.AddIndex(
                model_name='proposal',
                index=models.Index(condition=models.Q(('state', 'open')), fields=['project'], name='proposal_open'),
            ),
        ]),
        HeldWithProject(
            'annotation_item',
            ('validation_vote', 'item_id'),
            ('validation_verdict', 'item_id'),
            ('validation_flag', 'item_id'),
            ('validation_assignment', 'item_id'),
        ),
        migrations.RunPython(make_trigger, drop_trigger),
    ]
