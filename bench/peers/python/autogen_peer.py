"""AutoGen Core on its single-threaded runtime: one measurement, named on the command line.

It writes nothing down by itself: a program saves and loads the state of its agents. Rounds are measured in memory, for
what they cost without a promise.
"""

import asyncio
import itertools
import os
import statistics
import time
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("AUTOGEN_DISABLE_RUNTIME_TRACING", "true")

from autogen_core import (
    AgentId,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelInfo,
    RequestUsage,
    UserMessage,
)
from autogen_core.tool_agent import ToolAgent, tool_agent_caller_loop
from autogen_core.tools import FunctionTool

import common
from common import ROUNDS, Meter, Texts

NOTHING = RequestUsage(prompt_tokens=0, completion_tokens=0)


@dataclass
class Message:
    text: str


class Model(ChatCompletionClient):
    """Asks for `rounds` calls, one in each answer, and then says something."""

    def __init__(self, texts: Texts, rounds: int, meter: Meter) -> None:
        self.texts, self.rounds, self.meter = texts, rounds, meter

    async def create(self, messages: list[LLMMessage], **_: Any) -> CreateResult:
        calls = calls_since_question(messages)
        is_over = calls >= self.rounds or self.meter.is_over
        call = FunctionCall(id=f"call-{calls}", name="record", arguments="{}")
        return CreateResult(
            finish_reason="stop" if is_over else "function_calls",
            content=self.texts.next() if is_over else [call],
            usage=NOTHING,
            cached=False,
        )

    def create_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return NOTHING

    def total_usage(self) -> RequestUsage:
        return NOTHING

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    def remaining_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)


def calls_since_question(messages: list[LLMMessage]) -> int:
    since = itertools.takewhile(lambda message: not isinstance(message, UserMessage), reversed(messages))
    return sum(isinstance(message, FunctionExecutionResultMessage) for message in since)


class Worker(RoutedAgent):
    """Remembers what was said, and answers with a model and a tool."""

    def __init__(self, model: Model, tool: FunctionTool) -> None:
        super().__init__("A worker")
        self.model, self.tool = model, tool
        self.memory: list[LLMMessage] = []

    @message_handler
    async def answer(self, message: Message, ctx: MessageContext) -> Message:
        self.memory.append(UserMessage(content=message.text, source="user"))
        said = await tool_agent_caller_loop(self, AgentId("tools", self.id.key), self.model, self.memory, [self.tool])
        self.memory.extend(said)
        assert isinstance(said[-1], AssistantMessage)
        return Message(str(said[-1].content))


async def workers(texts: Texts, rounds: int, meter: Meter) -> SingleThreadedAgentRuntime:
    """A runtime with a worker and its tools for each key."""

    async def record() -> str:
        meter.tick()
        return texts.next()

    tool = FunctionTool(record, description="Records something.")
    model = Model(texts, rounds, meter)
    runtime = SingleThreadedAgentRuntime()
    await ToolAgent.register(runtime, "tools", lambda: ToolAgent("The tools", [tool]))
    await Worker.register(runtime, "worker", lambda: Worker(model, tool))
    runtime.start()
    return runtime


async def rate(args: Any, texts: Texts, agents: int) -> None:
    """How many rounds per second the agents go through together, each in one conversation after another."""
    meter = Meter(args.seconds)
    runtime = await workers(texts, ROUNDS, meter)

    async def run(agent: int) -> None:
        for number in itertools.count():
            if meter.is_over:
                break
            await runtime.send_message(Message(texts.next()), AgentId("worker", f"{agent}-{number}"))

    meter.begin()
    await asyncio.gather(*map(run, range(agents)))
    await runtime.stop()
    common.absent("does not persist", memory=meter.rate)


class Listener(RoutedAgent):
    """Answers each message with one of its own."""

    def __init__(self, texts: Texts) -> None:
        super().__init__("A listener")
        self.texts = texts

    @message_handler
    async def hear(self, message: Message, ctx: MessageContext) -> None:
        await self.publish_message(Message(self.texts.next()), TopicId("answers", "room"))


class Collector(RoutedAgent):
    """Counts the answers."""

    def __init__(self, answers: list[str]) -> None:
        super().__init__("A collector")
        self.answers = answers

    @message_handler
    async def hear(self, message: Message, ctx: MessageContext) -> None:
        self.answers.append(message.text)


async def fanout(args: Any, texts: Texts) -> None:
    """The milliseconds from a message to the last of the answers of many agents to it."""
    runtime, answers = SingleThreadedAgentRuntime(), []
    for number in range(args.agents):
        await Listener.register(runtime, f"listener{number}", lambda: Listener(texts))
        await runtime.add_subscription(TypeSubscription("questions", f"listener{number}"))
    await Collector.register(runtime, "collector", lambda: Collector(answers))
    await runtime.add_subscription(TypeSubscription("answers", "collector"))
    times = []
    for _ in range(5):
        answers.clear()
        runtime.start()
        begun = time.perf_counter()
        await runtime.publish_message(Message(texts.next()), TopicId("questions", "room"))
        await runtime.stop_when_idle()
        times.append(time.perf_counter() - begun)
        assert len(answers) == args.agents
    common.figure(statistics.median(times) * 1_000)


async def rooms(texts: Texts, count: int) -> None:
    """The resident memory after a conversation of one round with each of `count` workers."""
    runtime = await workers(texts, 1, Meter(0))
    before = common.resident_bytes()
    for number in range(count):
        await runtime.send_message(Message(texts.next()), AgentId("worker", f"{number}"))
    resident = common.resident_bytes()
    common.figure(resident, growth=resident - before)
    await runtime.stop()


def main() -> None:
    args = common.arguments()
    texts = Texts(args.texts)
    match args.measure.split("-"):
        case ["effect", _] | ["growth"]:
            common.absent("does not persist")
        case ["round", agents]:
            asyncio.run(rate(args, texts, int(agents)))
        case ["replay"]:
            common.absent("no replay")
        case ["fanout"]:
            asyncio.run(fanout(args, texts))
        case ["start"]:
            asyncio.run(rooms(texts, 1))
        case ["memory"]:
            asyncio.run(rooms(texts, args.rooms))
        case _:
            raise SystemExit(f"{args.measure} is not measured")


if __name__ == "__main__":
    main()
