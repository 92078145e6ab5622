"""Views for people over the rows of a store."""
