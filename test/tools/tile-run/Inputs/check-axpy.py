"""Checks z = a * x + y in float32: check-axpy.py A X.npy Y.npy Z.npy."""

import sys

import numpy

a = numpy.longdouble(sys.argv[1])
x, y, z = (numpy.load(path) for path in sys.argv[2:])
# A fused multiply and add rounds once, as does this: 64 bits of mantissa hold
# the sum of such a product and y.
wide = numpy.longdouble
expected = (a * x.astype(wide) + y.astype(wide)).astype(numpy.float32)
assert z.dtype == numpy.float32 and x.std() > 0.5
numpy.testing.assert_array_equal(z, expected)
