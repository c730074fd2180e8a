"""What happens again and again, and which queue takes what: plain values, shared by settings and by beat."""

from typing import Any

BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "decide-due": {"task": "validation.decide_due", "schedule": 1.0, "options": {"expires": 5}},
    "sweep": {"task": "validation.sweep", "schedule": 15.0, "options": {"expires": 14}},
}
TASK_ROUTES = {
    "annotation.run_job": {"queue": "jobs"},
    "annotation.send": {"queue": "sends"},
    "validation.decide_due": {"queue": "due"},
}
DEFAULT_QUEUE = "due"
# Short time-outs: a broker that does not answer must not hold anybody up. Unacknowledged work comes back soon.
TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    "socket_timeout": 2,
    "socket_connect_timeout": 2,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "max_retries": 0,  # kombu's second try would double what a vote waits for a silent broker
}
