"""ConceptNet's assertions, streamed into a work file on disk, and the question sets drawn from it.

No Django here: a file of 34 million lines is read once for all projects, in bounded memory, and goes on after a kill
where it last saved. What comes of it is stored by `annotation.generation.actions.materials`.
"""

from annotation.generation.conceptnet.choosing import DrawnSet, SetRequest, choose_sets
from annotation.generation.conceptnet.work import LineCounts, WorkFile, work_path

__all__ = ["DrawnSet", "LineCounts", "SetRequest", "WorkFile", "choose_sets", "work_path"]
