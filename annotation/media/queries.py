"""A project's images and sounds: place, name, and which of them no item shows."""

from collections.abc import Collection, Iterator, Mapping

from annotation.content.models.item import Hypothesis
from annotation.content.models.source import Premise
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.jobs.bulk import any_of
from annotation.media.models import MediaFile
from annotation.media.rules.files import FOLDER, REFERENCE, TYPES, name_form, references, use_of
from annotation.tasks.rules.kind import SOURCE_FIELDS


def stored_name(project_id: int, reference: str) -> str:
    """The name of a file in the store: a folder a project, each file under the hash of its bytes."""
    return f"{FOLDER}/{project_id}/{reference.removeprefix(f'{FOLDER}/')}"


def files_stored(project_id: int) -> set[str]:
    """The references of the files that lie in a project's folder."""
    names = (name.rpartition("/")[2] for name in storage().list_names(f"{FOLDER}/{project_id}"))
    return {text for text in (f"{FOLDER}/{name}" for name in names) if REFERENCE.fullmatch(text)}


def media_by_name(project_id: int) -> dict[str, str]:
    """The references of a project's files, by the names that rows call them; a reference names itself."""
    found: dict[str, str] = {}
    for each in MediaFile.objects.filter(project=project_id).iterator(chunk_size=2000):
        found[name_form(each.name)] = found[each.reference] = each.reference
    return found


def media_file(membership: Membership, name: str) -> MediaFile:
    """The file with this hash and type, for members of its project. Raises NotFound."""
    match = REFERENCE.fullmatch(f"{FOLDER}/{name}")
    if match is None:
        raise NotFound
    sha256, ending = match.groups()
    found = MediaFile.objects.filter(project=membership.project, sha256=sha256, type=ending).first()
    if found is None:
        raise NotFound
    return found


def media_read(project_id: int, reference: str, first: int = 0, count: int | None = None) -> Iterator[bytes]:
    """The bytes of a file from `first` on, piece by piece. Raises OSError where they are gone."""
    return storage().read(stored_name(project_id, reference), first, count)


def media_shown(project: Project) -> set[str]:
    """The references of the files that an item shows, or what writers start from; one pass over their texts."""
    items = Hypothesis.objects.filter(project=project).values_list("more", flat=True)
    sources = Premise.objects.filter(project=project).values_list("extra", flat=True)
    shown = set[str]()
    for texts in items.iterator(chunk_size=2000):
        shown |= references(texts or {})
    for extra in sources.iterator(chunk_size=2000):
        shown |= references((extra or {}).get(SOURCE_FIELDS) or {})
    return shown


def media_unused(project: Project, also: Collection[str] = ()) -> list[str]:
    """The names of files that no item and no source shows, nor `also` names by reference, in order."""
    files = list(MediaFile.objects.filter(project=project).order_by("name"))
    shown = {*media_shown(project), *also} if files else ()
    return [each.name for each in files if each.reference not in shown]


def media_missing(project_id: int, named: Collection[str]) -> set[str]:
    """Those of these references whose files are not there (any more)."""
    hashes = [each.partition("/")[2].partition(".")[0] for each in named]
    there = MediaFile.objects.filter(project=project_id, sha256__in=any_of(hashes)) if hashes else ()
    return set(named) - {each.reference for each in there}


def media_examples(project: Project, uses: Mapping[str, str]) -> dict[str, str]:
    """What the columns of images and sounds (`uses` has the use of each) hold of the first item that has them, with
    the words beside; where there is none yet, the first file of this use that was sent."""
    found = dict[str, str]()
    for column, use in uses.items():
        items = Hypothesis.objects.filter(project=project, more__has_key=column).order_by("pk")
        if (texts := items.values_list("more", flat=True).first()) is not None:
            found |= {name: texts[name] for name in (column, f"{column}_alt") if texts.get(name)}
            continue
        types = [ending for ending in TYPES if use_of(ending) == use]
        sent = MediaFile.objects.filter(project=project, type__in=types).order_by("pk").first()
        if sent is not None:
            found[column] = sent.reference
    return found
