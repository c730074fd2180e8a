"""The file store that web and workers share: uploads waiting for their import, images and sounds, releases.

A folder of this machine (DATA_DIR), or an object store that speaks S3 (STORAGE_URL). Names are relative, with `/`
between folders. Whoever needs a file on the disk asks for it with `local`; whoever writes one does so in `scratch`.
"""

from annotation.files.store import FileStore, LocalFiles, StoreUnavailable, scratch, storage, storage_at, sweep_scratch

__all__ = ["FileStore", "LocalFiles", "StoreUnavailable", "scratch", "storage", "storage_at", "sweep_scratch"]
