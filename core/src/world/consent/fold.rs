//! Requests to people, and the grants that they gave.

use crate::content::Content;
use crate::event::refusal::{Decided, RefusalReason};
use crate::event::{
    ApprovalDecided, ApprovalExpired, ApprovalRequested, GrantGiven, GrantRevoked, GrantUsed,
    QuestionAnswered, QuestionAsked, Verdict,
};
use crate::ids::principal::Party;
use crate::ids::{AgentName, Attempt, CallId, GrantId, RequestId};
use crate::tool::{Question, reads_json};
use crate::world::memory::{Allowance, CallState, Given, GivenForm};
use crate::world::{Request, RequestKind, World, calls};

pub(in crate::world) fn ask_approval(world: &mut World, event: &ApprovalRequested) {
    let request = RequestId(world.head);
    let ApprovalRequested {
        effect,
        arguments,
        schema,
        folder,
        warnings,
        shown,
        expires_at,
        ..
    } = event.clone();
    if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
        call.folder.clone_from(&folder);
    }
    let kind = RequestKind::Approval {
        effect,
        arguments,
        schema,
        folder,
        warnings,
        shown,
        expires_at,
    };
    let next = event.attempt.unwrap_or(Attempt(1));
    ask(
        world,
        &event.agent,
        event.call,
        CallState::AwaitsApproval { request, next },
        kind,
    );
}

pub(in crate::world) fn ask_question(world: &mut World, event: &QuestionAsked) {
    let request = RequestId(world.head);
    let kind = RequestKind::Question {
        options: event.options,
        choose: event.choose,
        schema: event.schema.clone(),
        question: event.question.clone(),
    };
    ask(
        world,
        &event.agent,
        event.call,
        CallState::AwaitsAnswer {
            request,
            attempt: event.attempt,
        },
        kind,
    );
}

/// Asks people about a call. What they were asked about it before is asked anew by that.
pub(in crate::world) fn ask(
    world: &mut World,
    agent: &AgentName,
    call: CallId,
    state: CallState,
    kind: RequestKind,
) {
    let at = world.head;
    world.consent.withdraw(call, at);
    let Some(open) = world.agents.open_call_mut(agent, call) else {
        return;
    };
    open.state = state;
    open.moved_by = at;
    let tool = open.tool.clone();
    let arguments = open.arguments.clone();
    world.consent.ask(
        RequestId(at),
        Request {
            agent: agent.clone(),
            call,
            tool,
            arguments,
            kind,
        },
    );
}

pub(in crate::world) fn decide_approval(world: &mut World, event: &ApprovalDecided) {
    let how = match event.verdict {
        Verdict::Allow => "allow",
        Verdict::Deny => "deny",
    };
    let asked = world
        .consent
        .pending()
        .get(&event.request)
        .and_then(|request| request.kind.effect());
    settle_by(world, event.request, event.by.clone(), how);
    let at = world.head;
    if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
        call.note_decision(event, at);
    }
    if event.verdict == Verdict::Allow {
        calls::fold::allow(
            world,
            &event.agent,
            event.call,
            asked.map(|effect| Allowance {
                by: event.by.clone(),
                effect,
            }),
        );
    }
}

pub(in crate::world) fn expire_approval(world: &mut World, event: &ApprovalExpired) {
    let decided = Decided::by_nobody("expired");
    let reason = RefusalReason::Expired;
    world
        .consent
        .settle(event.request, world.head, reason, decided);
}

pub(in crate::world) fn answer_question(world: &mut World, event: &QuestionAnswered) {
    let question = world
        .consent
        .pending()
        .get(&event.request)
        .map(|request| request.kind.clone());
    settle_by(world, event.request, event.by.clone(), "answered");
    let given = given(question, event);
    let Some(call) = world.agents.open_call_mut(&event.agent, event.call) else {
        return;
    };
    call.input = given;
    let next = call.attempt().next();
    calls::fold::make_ready(world, &event.agent, event.call, next);
}

pub(in crate::world) fn settle_by(world: &mut World, request: RequestId, by: Party, how: &str) {
    let decided = Decided::by_party(by, how);
    let reason = RefusalReason::AlreadyDecided;
    world.consent.settle(request, world.head, reason, decided);
}

/// A person's answer, as the tool gets it.
fn given(question: Option<RequestKind>, event: &QuestionAnswered) -> Option<Given> {
    let Some(RequestKind::Question {
        choose,
        schema,
        question,
        ..
    }) = question
    else {
        return None;
    };
    let texts = match (&event.text, question) {
        (Content::Present(Some(text)), _) => Content::Present(vec![text.clone()]),
        (Content::Present(None), Content::Present(question)) => {
            Content::Present(chosen(&question, &event.options))
        }
        (Content::Present(None), Content::Erased { by }) => Content::Erased { by },
        (Content::Erased { by }, _) => Content::Erased { by: *by },
    };
    let form = match (choose, schema) {
        (Some(_), _) => GivenForm::List,
        (None, Some(schema)) if reads_json(&schema) => GivenForm::Json,
        (None, _) => GivenForm::Text,
    };
    Some(Given {
        options: event.options.clone(),
        texts,
        form,
    })
}

fn chosen(question: &Question, options: &[u32]) -> Vec<String> {
    let text = |option: &u32| {
        question
            .options
            .get(usize::try_from(*option).ok()?)
            .cloned()
    };
    options.iter().filter_map(text).collect()
}

pub(in crate::world) fn give_grant(world: &mut World, event: &GrantGiven) {
    let id = GrantId(world.head);
    world.consent.give(id, event.clone(), world.time);
}

pub(in crate::world) fn use_grant(world: &mut World, event: &GrantUsed) {
    let tool = world
        .agents
        .open_call(&event.agent, event.call)
        .and_then(|call| call.tool.as_ref());
    // A grant ends when its tool gets another folder: this is the one that it was given for.
    let folder = tool.and_then(|tool| world.rules.spec().tools.get(tool)?.folder.clone());
    if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
        call.folder = folder;
    }
    if let Some(grant) = world.consent.use_grant(event.grant) {
        let allowance = Allowance {
            by: grant.given.by.clone(),
            effect: grant.given.effect,
        };
        if let Some(request) = event.request {
            settle_by(world, request, allowance.by.clone(), "granted");
            calls::fold::allow(world, &event.agent, event.call, Some(allowance));
        } else if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
            call.allowed = Some(allowance);
        }
    }
}

pub(in crate::world) fn revoke_grant(world: &mut World, event: &GrantRevoked) {
    world.consent.revoke(event.grant);
}
