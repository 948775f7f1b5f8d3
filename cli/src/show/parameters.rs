//! Parameters of a model call, in one line.

use folkmoot::core::model::{
    CachePlace, CacheTtl, OutputFormat, Parameters, Reasoning, ToolChoice,
};

use super::one_line;

/// All parameters that are set; those of the provider where none is.
pub(super) fn line(parameters: &Parameters) -> String {
    let Parameters {
        temperature_milli,
        output_tokens_max,
        top_p_milli,
        stop,
        seed,
        tool_choice,
        parallel_calls,
        strict_tools,
        output,
        reasoning,
        cache,
        extra,
    } = parameters;
    let stop: Vec<String> = stop.iter().map(|text| format!("{text:?}")).collect();
    let cache: Vec<String> = cache
        .iter()
        .map(|(place, ttl)| cached(*place, *ttl))
        .collect();
    let extra: Vec<String> = extra
        .iter()
        .map(|(field, value)| format!("{field}={value}"))
        .collect();
    let listed = |what: &str, all: Vec<String>| {
        (!all.is_empty()).then(|| format!("{what} {}", all.join(" ")))
    };
    let all = [
        temperature_milli.map(|milli| format!("temperature {}", decimal(milli))),
        output_tokens_max.map(|most| format!("at most {most} tokens")),
        top_p_milli.map(|milli| format!("top_p {}", decimal(milli))),
        listed("stop at", stop),
        seed.map(|seed| format!("seed {seed}")),
        tool_choice.as_ref().map(choice),
        parallel_calls.map(|may| {
            if may {
                "several calls at once"
            } else {
                "one call at a time"
            }
            .to_owned()
        }),
        strict_tools.map(|is| {
            if is {
                "calls held to their schemas"
            } else {
                "calls not held to their schemas"
            }
            .to_owned()
        }),
        output.as_ref().map(form),
        reasoning.as_ref().map(reasons),
        listed("cache", cache),
        listed("extra", extra),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    if all.is_empty() {
        "the provider's own parameters".to_owned()
    } else {
        one_line(&all.join(", "))
    }
}

fn decimal(milli: u32) -> String {
    let text = format!("{}.{:03}", milli / 1_000, milli % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn choice(choice: &ToolChoice) -> String {
    match choice {
        ToolChoice::Auto => "tools as it wants".to_owned(),
        ToolChoice::None => "no tool".to_owned(),
        ToolChoice::Required => "at least one tool".to_owned(),
        ToolChoice::Tool(name) => format!("the tool {name}"),
    }
}

fn form(output: &OutputFormat) -> String {
    match output {
        OutputFormat::Json => "as JSON".to_owned(),
        OutputFormat::Schema {
            name,
            schema,
            strict,
        } => {
            let strict = match strict {
                Some(true) => ", strictly",
                Some(false) => ", loosely",
                None => "",
            };
            format!("as {name}{strict} {schema}")
        }
    }
}

fn reasons(reasoning: &Reasoning) -> String {
    let Reasoning {
        effort,
        tokens_max,
        show,
    } = reasoning;
    let parts = [
        effort.map(|effort| effort.word().to_owned()),
        tokens_max.map(|most| format!("at most {most} tokens")),
        show.map(|show| if show { "shown" } else { "not shown" }.to_owned()),
    ];
    format!(
        "reasoning {}",
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    )
}

fn cached(place: CachePlace, ttl: CacheTtl) -> String {
    let place = match place {
        CachePlace::Auto => "auto",
        CachePlace::Tools => "tools",
        CachePlace::System => "system",
        CachePlace::Conversation => "conversation",
    };
    let ttl = match ttl {
        CacheTtl::Default => "default",
        CacheTtl::FiveMinutes => "5m",
        CacheTtl::OneHour => "1h",
    };
    format!("{place}={ttl}")
}
