"""Pure: protocols, the consensus engine, the table of stages, replay, and the cost of protocols."""
