"""TLC configs: rendered from templates, with a wrapper module where a config cannot say it."""
