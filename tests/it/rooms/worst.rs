//! The room, and the worst that can stand behind it.

use folkmoot::core::ids::principal::{Person, Principal};
use folkmoot::core::ids::{AgentName, ModelName, PersonName, ToolName};
use folkmoot::core::model::response::{
    CallPart, LLMResponse, ModelError, ModelErrorKind, Part, Reply,
};
use folkmoot::core::spec::{
    AgentSpec, History, Join, Limits, MemoryPolicy, Mentions, Mode, ModelSpec, Policy,
    WhileWaiting, WorldSpec,
};
use folkmoot::core::tool::{
    EffectClass, Question, Repeat, ToolErrorCode, ToolKind, ToolOutcome, ToolSpec,
};
use folkmoot::core::world::ModelAsk;
use folkmoot_tests::{Cast, Dice};
use serde_json::json;

/// Models and tools that do their worst.
pub(super) struct Worst {
    pub(super) names: Vec<AgentName>,
}

pub(super) fn person() -> Principal {
    let display = PersonName::new("ada").unwrap();
    Principal::Person(Person {
        method: "test".to_owned(),
        subject: "ada".to_owned(),
        display,
    })
}

impl Cast for Worst {
    fn answer(
        &mut self,
        agent: &AgentName,
        _: &ModelAsk,
        dice: &mut Dice,
    ) -> Result<LLMResponse, ModelError> {
        match dice.below(12) {
            0 => Err(ModelError::new(
                *dice.one(&[ModelErrorKind::Rate, ModelErrorKind::RefusesRequest]),
                "",
            )),
            1 => Ok(LLMResponse::text("")),
            2..=6 => Ok(LLMResponse::text(self.mentions_everyone(agent, dice))),
            _ => Ok(self.calls(agent, dice)),
        }
    }

    fn run(&mut self, dice: &mut Dice) -> ToolOutcome {
        match dice.below(8) {
            0 => ToolOutcome::failed(ToolErrorCode::Failed, "it broke"),
            1 => ToolOutcome::NeedsInput(Question {
                text: "Which?".to_owned(),
                options: vec!["this".to_owned()],
                ..Question::default()
            }),
            _ => ToolOutcome::text("@a0 @a1 @a2 <world>TO: a0, a1</world> done"),
        }
    }
}

impl Worst {
    fn mentions_everyone(&self, own: &AgentName, dice: &mut Dice) -> String {
        let mut names: Vec<String> = self.names.iter().map(|name| format!("@{name}")).collect();
        if dice.happens(50) {
            names.retain(|name| *name != format!("@{own}"));
        }
        let everyone = names.join(*dice.one(&[" ", ", ", " and ", "\n"]));
        let tag = *dice.one(&[
            "",
            "",
            "",
            "",
            "<world>TO: a0, a1, nobody</world>",
            "<world>pass</world>",
            "<world>?</world>",
        ]);
        match dice.below(4) {
            0 => format!("I go on{tag}"),
            1 => format!("{tag}@{} go on", dice.one(&self.names)),
            2 => format!("@ada and\n{everyone} go on {tag}"),
            _ => format!("{everyone} go on{tag}"),
        }
    }

    fn calls(&self, own: &AgentName, dice: &mut Dice) -> LLMResponse {
        let mut parts = vec![Part::Text(self.mentions_everyone(own, dice))];
        for _ in 0..1 + dice.below(4) {
            let tool = *dice.one(&["look", "mark", "pay", "ask", "hand", "ask", "none"]);
            let to = dice.one(&self.names).to_string();
            let arguments =
                json!({ "agent": to, "text": self.mentions_everyone(own, dice) }).to_string();
            let arguments = if dice.happens(5) {
                "{".to_owned()
            } else {
                arguments
            };
            parts.push(Part::Call(CallPart {
                label: String::new(),
                tool: tool.to_owned(),
                arguments,
            }));
        }
        LLMResponse::Calls(Reply {
            parts,
            ..Reply::default()
        })
    }
}

/// What a person says.
pub(super) fn speech(dice: &mut Dice) -> String {
    let texts = [
        "hello",
        "@a0 go on",
        "@a0, @a1 and @a2 go on",
        "@nobody are you there?",
        "ask @a1 and @a0 about it",
        "hi @a1!",
        "> @a0 said\nso what",
        "```\n@a0\n```\nno mention",
        "@ada what do you think?",
        "@Override\npublic void run()",
        "a0@example.org wrote",
        "- @a2 one\n- @a1 two",
    ];
    (*dice.one(&texts)).to_owned()
}

pub(super) fn spec(dice: &mut Dice) -> WorldSpec {
    let model = ModelName::new("m").unwrap();
    let tools = tools();
    let names: Vec<AgentName> = (0..1 + dice.below(5))
        .map(|n| AgentName::new(format!("a{n}")).unwrap())
        .collect();
    let agent = |name: &AgentName, dice: &mut Dice| AgentSpec {
        tools: tools.iter().map(|tool| tool.name.clone()).collect(),
        join: dice.happens(20).then(|| Join {
            all_of: others(&names, name),
            or_after_ms: 60_000,
        }),
        ..AgentSpec::new(name.clone(), Some(model.clone()))
    };
    let context_tokens_max = *dice.one(&[400, 1_000, 100_000, 100_000]);
    WorldSpec {
        agents: names.iter().map(|name| agent(name, dice)).collect(),
        models: [(
            model.clone(),
            ModelSpec {
                context_tokens_max,
                ..ModelSpec::new("own", "m")
            },
        )]
        .into(),
        tools: tools
            .iter()
            .map(|tool| (tool.name.clone(), tool.clone()))
            .collect(),
        policy: Policy {
            mode: *dice.one(&[Mode::Ask, Mode::Auto, Mode::Auto, Mode::Read]),
            main_agent: dice.happens(50).then(|| dice.one(&names).clone()),
            mentions: *dice.one(&[Mentions::Anywhere, Mentions::LineStart]),
            memory: *dice.one(&[MemoryPolicy::Shared, MemoryPolicy::Addressed]),
            history: *dice.one(&[History::All, History::SinceJoin]),
            while_waiting: *dice.one(&[WhileWaiting::Queue, WhileWaiting::Supersede]),
            retry_shown: dice.happens(50),
            ..Policy::default()
        },
        limits: Limits {
            model_calls_per_agent: 1 + dice.roll() as u32 % 6,
            model_calls_per_episode: 1 + dice.roll() as u32 % 25,
            tool_calls_per_answer: 1 + dice.roll() as u32 % 4,
            broadcast_max: dice.roll() as u32 % 6,
            hop_budget: dice.roll() as u32 % 14,
            pair_messages_max: 1 + dice.roll() as u32 % 8,
            inbox_max: 1 + dice.roll() as u32 % 20,
            items_max: 4 + dice.roll() as u32 % 60,
            ..Limits::default()
        },
        ..WorldSpec::default()
    }
}

fn others(names: &[AgentName], own: &AgentName) -> Vec<AgentName> {
    names.iter().filter(|name| *name != own).cloned().collect()
}

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, effect, repeat, kind| ToolSpec {
        repeat,
        kind,
        ..ToolSpec::new(
            ToolName::new(name).unwrap(),
            effect,
            "A tool.",
            json!({ "type": "object" }),
        )
    };
    vec![
        tool("look", EffectClass::Read, Repeat::Never, ToolKind::Run),
        tool("mark", EffectClass::Write, Repeat::Always, ToolKind::Run),
        tool(
            "pay",
            EffectClass::Destructive,
            Repeat::Never,
            ToolKind::Run,
        ),
        tool(
            "ask",
            EffectClass::Read,
            Repeat::Never,
            ToolKind::Ask { agents: Vec::new() },
        ),
        tool(
            "hand",
            EffectClass::Read,
            Repeat::Never,
            ToolKind::Handoff { agents: Vec::new() },
        ),
    ]
}
