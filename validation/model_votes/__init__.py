"""A language model as a second annotator: its votes apart from people's, never shown to annotators and never counted;
the alternative annotator test says whether it could stand in for one of them."""
