"""Runs one measurement of one peer in a new folder, and prints its line with the names of both.

    measure.py PEER MEASURE FOLDER PROGRAM ARGUMENT...

The folder is made beneath FOLDER, and is gone afterwards. The start of a process is timed here: from before it is there to
its first line.
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def main() -> None:
    peer, measure, beneath, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="peers-", dir=beneath) as folder:
        # Writes that the one before left to be done are not to be part of this one.
        os.sync()
        begun = time.perf_counter()
        with subprocess.Popen([*command, "--dir", folder], stdout=subprocess.PIPE, text=True) as process:
            line = process.stdout.readline()
            taken = time.perf_counter() - begun
        if process.returncode != 0 or not line:
            raise SystemExit(f"{peer} failed in {measure} (exit {process.returncode})")
    found = {"value": taken * 1_000} if measure == "start" else json.loads(line)
    print(json.dumps({"peer": peer, "measure": measure, **found}))


if __name__ == "__main__":
    main()
