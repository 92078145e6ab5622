"""The language: values, modules, expressions, types; copies of definitions."""
