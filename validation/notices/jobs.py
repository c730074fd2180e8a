"""The job that sends the daily e-mails; if it is killed and started again it sends none twice."""

from typing import Any

from annotation.core.database import now
from annotation.jobs.queue import Handle, Later, handles
from validation.notices.actions import KIND, notices_mail
from validation.notices.queries import to_mail


@handles(KIND)
def notices_send(handle: Handle) -> dict[str, Any]:
    """Write to everybody whose e-mail is due."""
    sent = 0
    for user in list(to_mail(now())):
        sent += notices_mail(user=user)
        handle.progress(handle.job.done + 1)
        if handle.should_stop():
            raise Later(0)
    return {"sent": sent}
