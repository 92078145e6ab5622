"""The sandbox, the disk quota and the reaper of runs."""
