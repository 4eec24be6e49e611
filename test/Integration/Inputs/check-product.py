"""check-product.py A.npy B.npy C.npy: C is exactly A times B transposed."""

import sys

import numpy as np

a, b, c = (np.load(name).astype(np.float64) for name in sys.argv[1:4])
wrong = np.argwhere(a @ b.T != c)
if len(wrong):
    row, column = wrong[0]
    sys.exit(f"{len(wrong)} of {c.size} elements differ, first ({row}, {column}): "
             f"{c[row, column]} instead of {(a @ b.T)[row, column]}")
