"""The report: one page with everything a store has to tell, which needs no network and nothing beside it."""
