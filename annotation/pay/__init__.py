"""Pay: rates, the ledger of finished actions, periods, disputes."""
