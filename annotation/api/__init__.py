"""What every resource of the REST API shares: tokens, authentication, views, cursors, problems, idempotency, schema."""
