"""Why a property breaks."""
