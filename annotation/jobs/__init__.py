"""Long work: the queue in the database, the runner, heartbeats; the database's clock, locks and bulk writes.

The database is the queue of record; Redis only wakes a worker.
"""
