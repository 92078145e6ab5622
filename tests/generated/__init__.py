"""Small models drawn at random, and what tla2py says of each against an independent reading of it.

The reading is plain TLC on the same model written out without the construct in question, or Python.
"""
