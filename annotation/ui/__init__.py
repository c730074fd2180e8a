"""What all pages share: navigation, the response timer, options drawn once, tables as CSV files."""
