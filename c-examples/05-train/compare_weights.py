"""Compares two files of weights: equal up to rounding, or an error.

    python3 compare_weights.py ONE.txt OTHER.txt

Several ranks add the gradients in another order than one rank, which changes the last bits. The loss is convex, so
such differences do not grow.
"""

import sys

# The weights are of the order of 1, and single precision has steps of 1e-7 there.
ALLOWED = 1e-5


def read(path):
    with open(path) as file:
        return [float(line) for line in file]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare_weights.py ONE.txt OTHER.txt")
    one, other = read(sys.argv[1]), read(sys.argv[2])
    if len(one) != len(other) or not one:
        sys.exit(f"{len(one)} weights against {len(other)}")
    differences = [abs(a - b) for a, b in zip(one, other)]
    # The condition is negated so that a NaN counts as a difference.
    if not all(difference <= ALLOWED for difference in differences):
        sys.exit(f"the weights differ by {max(differences):.2e}, more than rounding explains")
    print(f"the weights agree: {len(one)} of them, largest difference {max(differences):.1e}")


if __name__ == "__main__":
    main()
