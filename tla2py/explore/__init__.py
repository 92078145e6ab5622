"""Questions to whole stores: where it breaks, how it grows, which kinds of counterexamples there are."""
