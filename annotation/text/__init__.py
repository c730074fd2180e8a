"""Pure functions over texts: checks, languages, tokens, sentences, similarity, differences, lexical statistics."""
