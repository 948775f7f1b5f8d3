//! Questions of a server that gave back a call: they go to people, and the call is made again with the answer.

use folkmoot_core::port::Input;
use folkmoot_core::tool::{Question, ToolErrorCode, ToolFailure};
use rmcp::model::{ElicitRequestParams, InputRequest, InputRequiredResult, InputResponses};
use serde_json::{Map, Value, json};

use super::settings::is_fit;
use super::words::{clean, line};
use crate::output::cut;

/// The most bytes of a server's question.
const QUESTION_MAX: u64 = 2000;
/// The most bytes of the name of a field.
const NAME_MAX: usize = 200;
const DECLINE: &str = "decline";

/// A question that a server waits for, and what it wants to hear again with the answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// The server's name of the question.
    key: String,
    /// The one property of the answer; `None`: the answer is all of them.
    property: Option<String>,
    /// The words of the server to itself.
    pub(super) state: Option<String>,
}

/// The question that a result asks. `None`: it only wants to be called again.
pub(super) fn question(
    server: &str,
    result: InputRequiredResult,
) -> Result<(Asked, Option<Question>), ToolFailure> {
    let state = result.request_state;
    let mut requests = result.input_requests.unwrap_or_default().into_iter();
    let Some((key, request)) = requests.next() else {
        let asked = Asked {
            key: String::new(),
            property: None,
            state,
        };
        return Ok((asked, None));
    };
    if requests.next().is_some() {
        return Err(declined("several questions at once"));
    }
    let (message, schema) = match request {
        InputRequest::Elicitation(elicitation) => match elicitation.params {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } => (message, serde_json::to_value(requested_schema)),
            ElicitRequestParams::UrlElicitationParams { .. } => {
                return Err(declined("somebody to open an address"));
            }
            _ => return Err(declined("what this program does not know")),
        },
        InputRequest::CreateMessage(_) => return Err(declined("the answer of a model")),
        InputRequest::ListRoots(_) => return Err(declined("the folders of this machine")),
        _ => return Err(declined("what this program does not know")),
    };
    let schema = schema.map_err(|error| {
        let why = format!("the server's question does not read: {error}");
        ToolFailure::new(ToolErrorCode::Failed, why)
    })?;
    let is_plain = is_fit("question", &schema);
    if !is_plain || folkmoot_core::tool::schema::check(&schema).is_err() {
        return Err(declined("an answer whose form nobody can see or check"));
    }
    let text = cut(clean(&message), QUESTION_MAX);
    let text = format!("The server `{server}` asks, in its own words: {text}");
    let (property, question) = form(text, schema);
    let asked = Asked {
        key,
        property,
        state,
    };
    Ok((asked, Some(question)))
}

/// A form of one field is a question; of more, the answer is JSON.
fn form(text: String, schema: Value) -> (Option<String>, Question) {
    let fields = schema.get("properties").and_then(Value::as_object);
    let only = fields.filter(|fields| fields.len() == 1);
    let Some((name, field)) = only.and_then(|fields| fields.iter().next()) else {
        let question = Question {
            text: format!("{text}\nThe answer is a JSON object."),
            schema: Some(schema),
            ..Question::default()
        };
        return (None, question);
    };
    let words = field.get("enum").and_then(Value::as_array);
    let words: Option<Vec<&str>> =
        words.and_then(|words| words.iter().map(Value::as_str).collect());
    let question = match words {
        // In quotes: no word of a server is one of this program's own answers.
        Some(words) => Question {
            text,
            options: words
                .iter()
                .map(|word| Value::from(*word).to_string())
                .chain([DECLINE.to_owned()])
                .collect(),
            ..Question::default()
        },
        None => Question {
            text: format!("{text} ({})", line(name, NAME_MAX)),
            schema: Some(field.clone()),
            ..Question::default()
        },
    };
    (Some(name.clone()), question)
}

/// The answer of a person as the server wants to hear it.
pub(super) fn responses(asked: &Asked, input: &Input) -> InputResponses {
    let response = if input.options.len() == 1 && input.text == DECLINE {
        json!({ "action": "decline" })
    } else {
        let content = match &asked.property {
            None => input.value.clone(),
            Some(property) => {
                let quoted = Some(&input.text).filter(|_| !input.options.is_empty());
                let word = quoted.and_then(|text| serde_json::from_str(text).ok());
                let value = word.unwrap_or_else(|| input.value.clone());
                Value::Object(Map::from_iter([(property.clone(), value)]))
            }
        };
        json!({ "action": "accept", "content": content })
    };
    InputResponses::from([(asked.key.clone(), response)])
}

fn declined(what: &str) -> ToolFailure {
    let why = format!("the server asks for {what}, which it is not given");
    ToolFailure::new(ToolErrorCode::NotAllowed, why)
}
