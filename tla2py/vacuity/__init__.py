"""Questions to TLC that tell a property that holds from one that could not fail."""
