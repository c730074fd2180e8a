from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now


def mark_published(apps, schema_editor):
    """What was opened once, or has a DOI, left the installation."""
    release, event = apps.get_model("exports", "Release"), apps.get_model("annotation", "Event")
    shown = Q(publication__public=True) | (Q(publication__isnull=False) & ~Q(publication__doi=""))
    found = set(release.objects.filter(shown).values_list("pk", flat=True))
    for project, data in event.objects.filter(verb="release_opened").values_list("project", "data"):
        found |= set(release.objects.filter(project=project, n=data.get("release")).values_list("pk", flat=True))
    release.objects.filter(Q(pk__in=found) | Q(whole__in=found)).update(published_at=Now())


class Migration(migrations.Migration):
    dependencies = [("exports", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="published_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(mark_published, migrations.RunPython.noop),
    ]
