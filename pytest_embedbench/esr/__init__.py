"""Whether a circuit's firmware works, and whether it would on the pins that are wired.

A functional check that fails is run again with pins taken for one another, until it
passes or there is nothing left to try. What passed is confirmed on the circuit as it is
drawn, with the pin constants of the firmware corrected. Pytest knows nothing of this
here; who runs a check once is a ``Trial``.
"""
