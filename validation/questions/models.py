"""Questions and their replies; and the published text of one."""

from django.conf import settings
from django.db import models

from annotation.content.models.item import Revision
from annotation.core.models import DatedModel
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project

PUBLISHED = ("published_question", "published_answer")
_UNPUBLISHED = models.Q(published_at__isnull=True, published_question="", published_answer="")
_WHOLE = models.Q(published_at__isnull=False) & ~models.Q(published_question="")


class Question(DatedModel):
    """What an annotator asks the leads: about the text of an item as they saw it (`revision`), a section of the
    guidelines of a role (`section` empty: all of them), or with neither about the project.

    What is published is in the words of the lead who did: it stands in new versions of the guidelines.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="questions")
    by = models.ForeignKey(Annotator, models.PROTECT, related_name="questions")
    revision = models.ForeignKey(Revision, models.PROTECT, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=12, choices=GuidelineVersion.Role.choices, blank=True)
    section = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    published_question = models.TextField(blank=True)
    published_answer = models.TextField(blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(text=""), name="question_has_text"),
            models.CheckConstraint(
                condition=models.Q(revision__isnull=True) | models.Q(role=""), name="question_about_one_thing"
            ),
            models.CheckConstraint(
                condition=models.Q(section="") | ~models.Q(role=""), name="question_section_of_guidelines"
            ),
            models.CheckConstraint(
                condition=_UNPUBLISHED | (_WHOLE & ~models.Q(published_answer="")),
                name="question_published_whole",
            ),
        ]


class Reply(DatedModel):
    """One more message of a thread: of the leads, or of whoever asked (`by_asker`); append-only."""

    question = models.ForeignKey(Question, models.PROTECT, related_name="replies")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    by_asker = models.BooleanField(default=False)
    text = models.TextField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="reply_has_text")]
