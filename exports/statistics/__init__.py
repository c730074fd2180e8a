"""Tables of a release for a paper: by split, label, class and target, as a page, as CSV and as LaTeX."""
