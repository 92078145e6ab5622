"""What a gate or lint found, for machines and job logs."""
