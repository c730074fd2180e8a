"""Studies are projects of their own; ratings and comparisons are two kinds of them, and lose their tables."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0009_studies'),
        ('validation', '0003_answers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
        migrations.DeleteModel('Preference'),
        migrations.DeleteModel('ComparisonPair'),
        migrations.DeleteModel('Comparison'),
        migrations.DeleteModel('Rating'),
        migrations.DeleteModel('Generation'),
        migrations.DeleteModel('RatingRun'),
    ]
