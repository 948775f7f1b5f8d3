"""Somebody who opens a room, posts, decides and reads problems with the client that openapi-python-client made.

Nothing of that client is mended here: this fails where the document says something else than the server does.
"""

import sys
import time

from folkmoot_client import AuthenticatedClient
from folkmoot_client.api.messages import list_messages, post
from folkmoot_client.api.requests import decide, grants, of_world
from folkmoot_client.api.worlds import list_templates, list_worlds, open_, show
from folkmoot_client.models import AnyWord, NewDecision, NewMessage, NewScopeType3, NewWorld, NewWorldLabels
from folkmoot_client.models import ProblemCode, ReachType1Item

client = AuthenticatedClient(sys.argv[1], "token-ada", raise_on_unexpected_status=True)
stranger = AuthenticatedClient(sys.argv[1], "nobody", raise_on_unexpected_status=True)


def until(ask):
    """The first answer of `ask` that is not empty."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
    raise TimeoutError(f"nothing came in 30 s: {ask}")


def texts(world):
    page = list_messages.sync(world, client=client, limit=200)
    return [entry["message"]["text"] for entry in page.entries if "message" in entry]


def refusal(answer, status, code):
    """The problem of an answer, which must have this status and code."""
    assert (answer.status_code, answer.parsed.code) == (status, code), answer
    assert answer.headers["content-type"] == "application/problem+json", answer.headers
    assert (answer.parsed.status, answer.parsed.type_) == (status, f"urn:folkmoot:problem:{code}"), answer.parsed
    assert answer.parsed.title and answer.parsed.detail, answer.parsed
    return answer.parsed


assert "desk" in list_templates.sync(client=client).templates
labels = NewWorldLabels.from_dict({"kind": "generated"})
wish = NewWorld(template="desk", title="A desk", labels=labels)
world, again = (open_.sync(client=client, body=wish, idempotency_key="opening").world for _ in range(2))
assert world == again and world.startswith("desk-"), (world, again)
shown = show.sync(world, client=client)
assert (shown.title, shown.agents, shown.labels["kind"]) == ("A desk", ["clerk"], "generated"), shown
assert [line.name for line in list_worlds.sync(client=client, label=["kind:generated"], limit=200).worlds] == [world]

first, repeat = (
    post.sync_detailed(world, client=client, body=NewMessage(text="file letter-1"), idempotency_key="first") for _ in range(2)
)
assert first.status_code == 201 and first.parsed == repeat.parsed, (first, repeat)
assert texts(world).count("file letter-1") == 1, texts(world)
reused = post.sync_detailed(world, client=client, body=NewMessage(text="another"), idempotency_key="first")
assert refusal(reused, 409, ProblemCode.KEY_REUSED).field == "Idempotency-Key"

(request,) = until(lambda: of_world.sync(world, client=client).requests)
number, digest = request["request"], request["asks"]["shown"]
other = decide.sync_detailed(world, number, client=client, body=NewDecision(verdict="allow", shown="0" * 8))
assert refusal(other, 409, ProblemCode.SHOWN_DIFFERS).additional_properties["request"] == request.to_dict()
twice = NewDecision(verdict="allow", shown=digest, scope=NewScopeType3(uses=2), where=AnyWord.ANY)
too_wide = decide.sync_detailed(world, number, client=client, body=twice)
assert refusal(too_wide, 409, ProblemCode.REFUSED).additional_properties["reason"] == "any_not_offered"
twice.where = [ReachType1Item.from_dict({"path": "/line", "prefix": "letter-"})]
decision = decide.sync(world, number, client=client, body=twice, idempotency_key="decision")
assert (decision.request, decision.verdict) == (number, "allow") and decision.position > number, decision
until(lambda: "It is done." in texts(world))
late = decide.sync_detailed(world, number, client=client, body=NewDecision(verdict="deny", shown=digest))
assert refusal(late, 409, ProblemCode.ALREADY_DECIDED).additional_properties["by"] == "ada"

assert len(grants.sync(world, client=client).grants) == 1
post.sync(world, client=client, body=NewMessage(text="file letter-2", reply_to=first.parsed.message))
until(lambda: texts(world).count("It is done.") == 2)
assert of_world.sync(world, client=client).requests == [], "the second letter is filed without a question"

assert refusal(show.sync_detailed("desk-nowhere", client=client), 404, ProblemCode.NOT_FOUND)
assert refusal(show.sync_detailed(world, client=stranger), 401, ProblemCode.UNAUTHORIZED)
assert refusal(post.sync_detailed(world, client=client, body=NewMessage(text="x" * 9000)), 422, ProblemCode.INVALID).field == "text"

# A request waits and a room is there for whoever draws requests next.
post.sync(world, client=client, body=NewMessage(text="file bill-3"))
until(lambda: of_world.sync(world, client=client).requests)
print(world)
