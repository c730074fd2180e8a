"""Jobs and imports that somebody may see."""

from annotation.core.access import Membership, Viewer, project_for_leads, signed_in
from annotation.core.errors import NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.jobs.models import Import, Job


def job(user: Viewer, job_id: int) -> Job:
    """A job that the viewer started, or one of a project that they lead or administer."""
    person = signed_in(user)
    found = first_or_not_found(Job.objects.select_related("project").filter(pk=job_id))
    if found.by_id == person.pk or person.is_administrator:
        return found
    leads = Annotator.objects.filter(user=person, project=found.project_id, is_lead=True, left_at=None)
    if found.project_id is None or not leads.exists():
        raise NotFound
    return found


def project_import(membership: Membership, import_id: int) -> Import:
    """A file taken into the project, for leads and administrators."""
    return first_or_not_found(
        Import.objects.select_related("job", "by").filter(pk=import_id, project=project_for_leads(membership))
    )
