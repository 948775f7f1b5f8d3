"""What the peers in Python share: their arguments, the texts, the meter, and the line that a measurement prints."""

import argparse
import json
import os
import time
from pathlib import Path

TEXT_BYTES = 400
"""The size of each question, each answer and each result of a tool."""

EFFECTS = 100
"""The effects of one run."""

ROUNDS = 20
"""The rounds of one conversation."""


def arguments() -> argparse.Namespace:
    """Reads the command line, which is the same for each peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("measure")
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--agents", type=int, required=True)
    parser.add_argument("--rooms", type=int, required=True)
    return parser.parse_args()


class Texts:
    """An endless row of texts, no two of which are alike before the file is used up."""

    def __init__(self, file: Path) -> None:
        self.letters = file.read_text()
        self.place = 0

    def next(self) -> str:
        begin = self.place
        self.place = (begin + TEXT_BYTES) % (len(self.letters) - TEXT_BYTES)
        return self.letters[begin : begin + TEXT_BYTES]


class Meter:
    """Counts what is done in a stretch of time, after a quarter as long to get going, and says when it is over."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.first = self.last = float("inf")
        self.count = 0

    def begin(self) -> None:
        self.first = time.perf_counter() + self.seconds / 4
        self.last = self.first + self.seconds

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self.last

    def tick(self) -> None:
        self.count += self.first <= time.perf_counter() < self.last

    @property
    def rate(self) -> float:
        """What was done per second. Asked for when it is over."""
        return self.count / self.seconds


def figure(value: float, **more: float) -> None:
    """Prints what was measured."""
    print(json.dumps({"value": value, **more}), flush=True)


def absent(why: str, **more: float) -> None:
    """Says that the peer has nothing to measure here."""
    print(json.dumps({"absent": why, **more}), flush=True)


def decoded_per_second(entries: list[str], seconds: float) -> float:
    """How many of these JSON texts the standard library decodes per second."""
    begun, count = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        for entry in entries:
            json.loads(entry)
        count += len(entries)
    return count / (time.perf_counter() - begun)


def disk_bytes(folder: Path) -> int:
    """How many bytes of the disk the files under `folder` take."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())


def resident_bytes() -> int:
    """The resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
