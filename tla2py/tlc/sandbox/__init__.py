"""What a run may see and take."""
