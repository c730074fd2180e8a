"""Long work: the queue in the database, the runner, heartbeats; bulk writes.

The database is the queue of record; Redis only wakes a worker.
"""
