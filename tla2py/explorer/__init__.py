"""The explorer: a store's data for the page, and the hosts that show it."""
