"""Java, jars, CommunityModules, PlusCal."""
