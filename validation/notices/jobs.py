"""The job that sends the daily e-mails; if it is killed and started again it sends none twice."""

from typing import Any

from annotation.core.database import now
from annotation.jobs.queue import Handle, PostponeJob, handles
from validation.notices.actions import KIND, mail_notices
from validation.notices.queries import users_to_mail


@handles(KIND)
def notices_send(handle: Handle) -> dict[str, Any]:
    """Write to everybody whose e-mail is due."""
    sent = 0
    for user in list(users_to_mail(now())):
        sent += mail_notices(user=user)
        handle.progress(handle.job.done + 1)
        if handle.should_stop():
            raise PostponeJob(0)
    return {"sent": sent}
