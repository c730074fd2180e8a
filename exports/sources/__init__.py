"""Source sets of translations, taken from where their rows are: a file, another project, a release of one."""
