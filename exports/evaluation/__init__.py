"""Human evaluation of a release: a drawn part of it becomes a project in which people answer."""
