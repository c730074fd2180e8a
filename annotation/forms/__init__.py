"""Forms: what people may send, field by field; nothing else reaches an action."""
