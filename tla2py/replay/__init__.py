"""Further questions to TLC about a trace."""
