"""A trace, a sweep, a store shown: terminal, notebook, page, explorer."""
