"""What TLC prints."""
