"""LangGraph with its checkpointer on SQLite: one measurement, named on the command line.

A room is a thread, an agent is a node, and a durable step is a superstep with `durability="sync"`. One agent is invoked
synchronously over `SqliteSaver`; many agents at once run on one event loop over `AsyncSqliteSaver`.
"""

import asyncio
import contextlib
import itertools
import json
import operator
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt

import common
from common import EFFECTS, ROUNDS, Meter, Texts

DURABLE = "PRAGMA synchronous=FULL"
"""The saver itself asks for WAL. With FULL, each commit is synced before it returns."""


@contextlib.contextmanager
def saver(folder: Path) -> Iterator[SqliteSaver]:
    """The synchronous checkpointer, on a new file."""
    with contextlib.closing(sqlite3.connect(folder / "graph.db", check_same_thread=False)) as connection:
        connection.execute(DURABLE)
        yield SqliteSaver(connection)


def thread(name: str) -> dict[str, Any]:
    """The configuration of one thread."""
    return {"configurable": {"thread_id": name}, "recursion_limit": 10_000}


class Effects(TypedDict):
    done: int
    result: str


def effects(texts: Texts, meter: Meter) -> StateGraph:
    """A node that does one thing and comes round again."""

    def act(state: Effects) -> Effects:
        meter.tick()
        return {"done": state["done"] + 1, "result": texts.next()}

    def after(state: Effects) -> str:
        return END if state["done"] >= EFFECTS or meter.is_over else "act"

    graph = StateGraph(Effects)
    graph.add_node("act", act)
    graph.add_edge(START, "act")
    graph.add_conditional_edges("act", after, ["act", END])
    return graph


def conversation(texts: Texts, rounds: int, meter: Meter, state: type = MessagesState) -> StateGraph:
    """A model that asks for `rounds` calls, one in each answer, and then says something."""

    @tool
    def record() -> str:
        """Records something."""
        meter.tick()
        return texts.next()

    def model(state: Any) -> Any:
        calls = calls_since_question(state["messages"])
        if calls >= rounds or meter.is_over:
            return {"messages": [AIMessage(texts.next())]}
        call = {"name": "record", "args": {}, "id": f"call-{calls}"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    def after(state: Any) -> str:
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(state)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode([record]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", after, ["tools", END])
    graph.add_edge("tools", "model")
    return graph


def calls_since_question(messages: list[AnyMessage]) -> int:
    since = itertools.takewhile(lambda message: message.type != "human", reversed(messages))
    return sum(message.type == "tool" for message in since)


def question(texts: Texts) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": texts.next()}]}


@dataclass
class Work:
    """A graph, what each thread of it begins with, and the meter that ticks in it."""

    graph: StateGraph
    start: Callable[[], Any]
    meter: Meter


def rate_of_one(folder: Path, work: Work) -> None:
    """How often per second the meter ticks while one thread follows another."""
    with saver(folder) as checkpointer:
        compiled = work.graph.compile(checkpointer=checkpointer)
        work.meter.begin()
        for number in itertools.count():
            if work.meter.is_over:
                break
            compiled.invoke(work.start(), thread(f"{number}"), durability="sync")
    common.figure(work.meter.rate)


async def rate_of_many(folder: Path, work: Work, agents: int) -> None:
    """How often per second the meter ticks while many agents run at once, each in one thread after another."""
    async with aiosqlite.connect(folder / "graph.db") as connection:
        await connection.execute(DURABLE)
        compiled = work.graph.compile(checkpointer=AsyncSqliteSaver(connection))

        async def run(agent: int) -> None:
            for number in itertools.count():
                if work.meter.is_over:
                    break
                await compiled.ainvoke(work.start(), thread(f"{agent}-{number}"), durability="sync")

        work.meter.begin()
        await asyncio.gather(*map(run, range(agents)))
    common.figure(work.meter.rate)


def rate(folder: Path, work: Work, agents: int) -> None:
    if agents == 1:
        rate_of_one(folder, work)
    else:
        asyncio.run(rate_of_many(folder, work, agents))


def add_all(messages: list[AnyMessage], writes: list[Any]) -> list[AnyMessage]:
    for write in writes:
        messages = add_messages(messages, write)
    return messages


class Delta(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(add_all)]


def growth(args: Any, texts: Texts) -> None:
    """The bytes that the turns of one thread leave on disk: questions and answers, without tools.

    The other figure is that of `DeltaChannel`, which is in beta and stores what is new instead of the whole state.
    """
    figures = []
    for state in MessagesState, Delta:
        folder = args.dir / state.__name__
        folder.mkdir()
        with saver(folder) as checkpointer:
            compiled = conversation(texts, 0, Meter(0), state).compile(checkpointer=checkpointer)
            for _ in range(args.turns):
                compiled.invoke(question(texts), thread("room"), durability="sync")
        figures.append(common.disk_bytes(folder))
    common.figure(figures[0], other=figures[1])


def replay(args: Any, texts: Texts) -> None:
    """How many results of tasks per second a workflow reads back when it goes on after an interruption."""

    @task
    def act(number: int) -> str:
        return texts.next()

    with saver(args.dir) as checkpointer:

        @entrypoint(checkpointer=checkpointer)
        def workflow(count: int) -> list[str]:
            results = [act(number).result() for number in range(count)]
            interrupt("Shall it go on?")
            return results

        workflow.invoke(args.turns, thread("room"), durability="sync")
        place, begun = texts.place, time.perf_counter()
        results = workflow.invoke(Command(resume="yes"), thread("room"), durability="sync")
        taken = time.perf_counter() - begun
    assert texts.place == place, "a task ran again"
    beside = common.decoded_per_second([json.dumps(result) for result in results], args.seconds / 4)
    common.figure(len(results) / taken, beside=beside)


class Room(TypedDict):
    question: str
    answers: Annotated[list[str], operator.add]


def fanout(args: Any, texts: Texts) -> None:
    """The milliseconds from a message to the last of the answers of many nodes to it."""

    def ask(state: Room) -> list[Send]:
        return [Send("agent", {"question": state["question"]}) for _ in range(args.agents)]

    graph = StateGraph(Room)
    graph.add_node("agent", lambda state: {"answers": [texts.next()]})
    graph.add_conditional_edges(START, ask, ["agent"])
    times = []
    with saver(args.dir) as checkpointer:
        compiled = graph.compile(checkpointer=checkpointer)
        for number in range(5):
            begun = time.perf_counter()
            room = compiled.invoke({"question": texts.next()}, thread(f"{number}"), durability="sync")
            times.append(time.perf_counter() - begun)
            assert len(room["answers"]) == args.agents
    common.figure(statistics.median(times) * 1_000)


def rooms(args: Any, texts: Texts, count: int) -> None:
    """The resident memory after a conversation of one round in each of `count` threads."""
    with saver(args.dir) as checkpointer:
        compiled = conversation(texts, 1, Meter(0)).compile(checkpointer=checkpointer)
        before = common.resident_bytes()
        for number in range(count):
            compiled.invoke(question(texts), thread(f"{number}"), durability="sync")
        resident = common.resident_bytes()
    common.figure(resident, growth=resident - before)


def main() -> None:
    args = common.arguments()
    texts, meter = Texts(args.texts), Meter(args.seconds)
    match args.measure.split("-"):
        case ["effect", agents]:
            work = Work(effects(texts, meter), lambda: {"done": 0, "result": ""}, meter)
            rate(args.dir, work, int(agents))
        case ["round", agents]:
            work = Work(conversation(texts, ROUNDS, meter), lambda: question(texts), meter)
            rate(args.dir, work, int(agents))
        case ["growth"]:
            growth(args, texts)
        case ["replay"]:
            replay(args, texts)
        case ["fanout"]:
            fanout(args, texts)
        case ["start"]:
            rooms(args, texts, 1)
        case ["memory"]:
            rooms(args, texts, args.rooms)
        case _:
            raise SystemExit(f"{args.measure} is not measured")


if __name__ == "__main__":
    main()
