"""The pages of releases, and of what translation projects have to show before one is frozen."""
