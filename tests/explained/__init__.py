"""Small specifications drawn at random, and whether each sentence of ``--why`` about them is true.

An evaluator of its own decides by trying every state. It shares the parser of expressions with the explanations.
"""
