"""Cultural prompts before the vote: topics, questions to a group, sessions, the second pass (Kalahi §3)."""
