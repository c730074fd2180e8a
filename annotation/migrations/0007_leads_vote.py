from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_answers'),
    ]

    operations = [
        migrations.AddField(
            model_name='annotator',
            name='votes_leading',
            field=models.BooleanField(default=False),
        ),
        migrations.RemoveConstraint(
            model_name='annotator',
            name='annotator_lead_does_not_vote',
        ),
        migrations.RemoveConstraint(
            model_name='annotator',
            name='annotator_former_lead_does_not_vote',
        ),
        migrations.AddConstraint(
            model_name='annotator',
            constraint=models.CheckConstraint(
                condition=~models.Q(has_led=True, is_validator=True, votes_leading=False),
                name='annotator_lead_votes_where_allowed',
            ),
        ),
    ]
