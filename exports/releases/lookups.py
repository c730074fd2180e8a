"""What the ids of a project's frozen rows mean, read once for a release."""

from annotation.content.rules.premises import spelled as class_spelled
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion, Project, ProtocolVersion, Target
from annotation.generation.models import Endpoint, GenerationRun
from exports.releases.rules.machine import Run
from exports.releases.rules.rows import Names
from validation.consensus.protocol import Protocol


def read_names(project: Project) -> Names:
    """What the ids of a project mean, read once."""
    rules = project.rules
    return Names(
        annotators=dict(Annotator.objects.filter(project=project).values_list("pk", "pseudonym")),
        guidelines=dict(GuidelineVersion.objects.filter(project=project).values_list("pk", "n")),
        targets={
            pk: (language, register)
            for pk, language, register in Target.objects.filter(project=project).values_list(
                "pk", "language", "register"
            )
        },
        classes={
            name: class_spelled(name, rules.paragraph_name) for name in ("single", "double", "paragraph")
        },
    )


def read_strangers(project: Project) -> dict[int, str]:
    """Who came with imported files, by id."""
    return dict(Annotator.objects.filter(project=project, imported=True).values_list("pk", "pseudonym"))


def read_runs(project: Project) -> dict[int, Run]:
    """The project's runs of generation by id, each with the chat models that it asked."""
    rows = GenerationRun.objects.filter(project=project).values_list("pk", "n", "plan")
    found = {}
    for pk, n, plan in rows:
        models = (step["model"] for step in plan.get("steps", ()) if step.get("asked") == Endpoint.What.CHAT)
        found[pk] = Run(n, tuple(dict.fromkeys(model for model in models if model)))
    return found


def read_protocols(project: Project) -> dict[int, Protocol]:
    """The project's protocols by id."""
    stored = ProtocolVersion.objects.filter(project=project).values_list("pk", "rules")
    return {pk: Protocol.from_dict(rules) for pk, rules in stored}
