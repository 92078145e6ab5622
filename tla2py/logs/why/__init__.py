"""Why a log goes no further: an execution of TLC that asks, and its answer."""
