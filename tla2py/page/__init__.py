"""The report: a self-contained page that shows a whole store and needs no network."""
