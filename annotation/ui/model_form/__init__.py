"""A form of any depth drawn from a pydantic model: nothing is said of a field but in the model itself."""
