"""Pure: protocols, the consensus engine, the table of stages, replay, and what protocols cost."""
