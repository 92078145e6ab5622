"""Views of counterexamples: HTML for notebooks and pages, pictures in SVG, a stepper, plain lines."""
