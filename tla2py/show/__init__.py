"""Views of counterexamples: HTML for notebooks and pages, SVG pictures, a stepper, plain text."""
