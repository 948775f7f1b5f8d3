"""Writes the file of random texts that all peers read: letters and blanks, the same in each run."""

import random
import sys

LETTERS = "abcdefghijklmnopqrstuvwxyz      "

sys.stdout.write("".join(random.Random(1).choices(LETTERS, k=1_000_000)))
