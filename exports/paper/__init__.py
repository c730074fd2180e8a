"""A paper's tables in one go: LaTeX of one project or several side by side, each number with where it comes from."""
