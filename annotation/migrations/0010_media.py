"""Images and sounds that items show, by the names under which rows call them."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0009_studies'),
    ]

    operations = [
        migrations.CreateModel(
            name='MediaFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('type', models.CharField(choices=[('jpg', 'jpg'), ('png', 'png'), ('webp', 'webp'), ('gif', 'gif'), ('mp3', 'mp3'), ('ogg', 'ogg'), ('wav', 'wav'), ('m4a', 'm4a')], max_length=4)),
                ('size', models.PositiveIntegerField()),
                ('width', models.PositiveIntegerField(blank=True, null=True)),
                ('height', models.PositiveIntegerField(blank=True, null=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='media', to='annotation.project')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'sha256'], name='media_by_hash')],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='media_name_once'), models.CheckConstraint(condition=models.Q(('type__in', ['jpg', 'png', 'webp', 'gif', 'mp3', 'ogg', 'wav', 'm4a'])), name='media_of_a_known_type'), models.CheckConstraint(condition=models.Q(('size__gte', 1), ('size__lte', 31457280)), name='media_size_fits'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(django.db.models.functions.text.Length('sha256'), 64)), name='media_hash_is_whole'), models.CheckConstraint(condition=models.Q(models.Q(('height__isnull', True), ('width__isnull', True)), models.Q(('height__gte', 1), ('height__isnull', False), ('width__gte', 1), ('width__isnull', False)), _connector='OR'), name='media_width_with_height')],
            },
        ),
    ]
