import django.db.models.functions.datetime
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    """Accounts by themselves: what other packages keep on them is migrated next, while there are few models."""

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('is_administrator', models.BooleanField(default=False, verbose_name='administrator')),
                ('single_keys', models.BooleanField(default=True, verbose_name='single-key shortcuts')),
                ('tap_sends', models.BooleanField(default=False, verbose_name='a tap on a choice sends it')),
                ('theme', models.CharField(blank=True, default='', max_length=5)),
                ('language', models.CharField(blank=True, default='', max_length=10)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('deleted_at', models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_any_case')],
            },
        ),
    ]
