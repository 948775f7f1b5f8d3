"""Makes one Markdown table of the lines that the measurements printed: medians, with the lowest and the highest.

    reduce.py TURNS AGENTS ROOMS < figures.jsonl
"""

import json
import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable

PEERS = ["Folkmoot", "agentplane", "LangGraph", "AutoGen", "bare file"]

NOTES = """
* **Durable** means synced before the next step begins. Folkmoot: its store (sled), `fdatasync` before an append returns.
  agentplane: redb, `Durability::Immediate`. LangGraph: SQLite with WAL and `synchronous=FULL`, `durability="sync"`; it awaits the
  checkpoint of each step. The bare file: a text appended and `fdatasync`; with many writers, one sync for all that wait.
* A **durable effect** is recorded before it happens and after: Folkmoot a writing tool call, agentplane an effect of a skill.
  LangGraph has no record of a start: it is a superstep of one node there, its writes and its checkpoint. 100 in a run.
* A **round** is an answer of the model with one tool call, the run of the tool, and going on. 20 in a conversation, each in a new
  room, run or thread. The tool writes in Folkmoot, and reads in agentplane, which refuses a writing one whose arguments are the model's.
* A **turn** is a question and an answer. The bytes are those of the disk after a clean close, measured once. agentplane has no room that goes on: it has as many runs, each without the ones before.
* **Replay** counts what is read back: Folkmoot folds events, agentplane replays a run strictly and counts records of its journal,
  LangGraph resumes a workflow and counts results of its tasks; it does not fold a graph's history. Beside it: the same entries
  decoded by the language's JSON library alone.
* The **message to many** is answered once by each. In Folkmoot and AutoGen it is one message in one room; agentplane starts a run
  for each, LangGraph a node for each with `Send`. In AutoGen nothing is written down.
* **Memory** is that of the process with its libraries, after one round in each room. agentplane and LangGraph keep no room in
  memory between runs.
""".strip()


def count(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def millions(value: float) -> str:
    return f"{value / 1e6:,.2f}"


def mebibytes(value: float) -> str:
    return f"{value / 2**20:,.1f}"


def rows(turns: int, agents: int, rooms: int) -> list[tuple[str, str, Callable[[float], str]]]:
    """The measurements, what they are called, and how their figures are written."""
    return [
        ("effect-1", "durable effects per second, 1 agent", count),
        ("effect-64", "durable effects per second, 64 agents", count),
        ("round-1", "rounds per second, 1 agent", count),
        ("round-64", "rounds per second, 64 agents", count),
        ("growth", f"store after {turns:,} turns of one room, MB", millions),
        ("replay", "entries replayed per second", count),
        ("fanout", f"one message answered by {agents:,} agents, ms", count),
        ("start", "from the start of the process to the first answer, ms", count),
        ("memory", f"memory of {rooms:,} rooms, MiB", mebibytes),
    ]


def spread(values: list[float], written: Callable[[float], str]) -> str:
    middle = written(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({written(min(values))}–{written(max(values))})"


def cell(lines: list[dict], written: Callable[[float], str]) -> str:
    """What all rounds of one peer say together."""
    if not lines:
        return ""
    median = lambda name: statistics.median(line[name] for line in lines)
    has = lambda name: all(name in line for line in lines)
    parts = [lines[0]["absent"]] if has("absent") else [spread([line["value"] for line in lines], written)]
    if has("memory"):
        parts.append(f"{written(median('memory'))} in memory")
    if has("other"):
        parts.append(f"{written(median('other'))} with `DeltaChannel`, in beta")
    if has("growth"):
        parts.append(f"{written(median('growth'))} of it for the rooms")
    if has("beside"):
        parts.append(f"{median('value') / median('beside'):.2f} of bare JSON")
    return "; ".join(parts)


def main() -> None:
    turns, agents, rooms = map(int, sys.argv[1:])
    lines = defaultdict(list)
    for line in map(json.loads, sys.stdin):
        lines[line["peer"], line["measure"]].append(line)
    print(f"Medians of {max(map(len, lines.values()))} rounds, (lowest–highest), {os.cpu_count()} cores. All texts: 400 bytes.\n")
    print(f"| measured | {' | '.join(PEERS)} |")
    print(f"|---|{'---:|' * len(PEERS)}")
    for measure, name, written in rows(turns, agents, rooms):
        cells = [cell(lines[peer, measure], written) for peer in PEERS]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\n{NOTES}")


if __name__ == "__main__":
    main()
