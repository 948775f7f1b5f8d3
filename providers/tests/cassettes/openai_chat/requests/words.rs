//! What a user said in a recorded request, and the files that came with it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use folkmoot_core::ids::Digest;
use folkmoot_core::prompt::Attached;
use serde_json::{Value, json};

/// A user's words.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) files: Vec<File>,
}

/// A file among them.
#[derive(Debug)]
pub(super) struct File {
    name: String,
    media_type: String,
    pub(super) bytes: Vec<u8>,
}

impl Words {
    /// The words of a message; `None` if it holds anything that is neither a text nor a file's own bytes.
    pub(super) fn of(message: &Value) -> Option<Self> {
        if let Some(text) = text(&message["content"]) {
            return Some(Self {
                text,
                files: Vec::new(),
            });
        }
        let (texts, files): (Vec<&Value>, Vec<&Value>) = message["content"]
            .as_array()?
            .iter()
            .partition(|part| part["type"] == "text");
        let text = match texts.as_slice() {
            [] => String::new(),
            [text] => text["text"].as_str()?.to_owned(),
            _ => return None,
        };
        Some(Self {
            text,
            files: files.into_iter().map(File::of).collect::<Option<_>>()?,
        })
    }

    /// The content of the message as we write it.
    pub(super) fn chosen(&self, message: &Value) -> Value {
        if self.files.is_empty() {
            return json!(format!("Ada: {}", self.text));
        }
        let said = (!self.text.is_empty()).then(|| self.text.clone());
        let lines: Vec<String> = said
            .into_iter()
            .chain(self.files.iter().map(|file| file.attached().to_string()))
            .collect();
        let mut content =
            vec![json!({ "type": "text", "text": format!("Ada: {}", lines.join("\n")) })];
        for part in message["content"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["type"] != "text")
        {
            let mut part = part.clone();
            if let Some(image) = part.get_mut("image_url").and_then(Value::as_object_mut) {
                image.retain(|field, value| !(field == "detail" && value == "auto"));
            }
            content.push(part);
        }
        Value::Array(content)
    }
}

impl File {
    fn of(part: &Value) -> Option<Self> {
        let owned = |value: &Value| value.as_str().map(str::to_owned);
        match part["type"].as_str()? {
            "image_url" => Self::of_url(&part["image_url"]["url"], "image".to_owned()),
            "file" => Self::of_url(
                &part["file"]["file_data"],
                owned(&part["file"]["filename"])?,
            ),
            "document_url" => Self::of_url(&part["document_url"], owned(&part["document_name"])?),
            "input_audio" => {
                let audio = &part["input_audio"];
                let media_type = match audio["format"].as_str() {
                    None | Some("mp3") => "audio/mpeg",
                    Some("wav") => "audio/wav",
                    Some(_) => return None,
                };
                Self::of_data(
                    audio.as_str().or(audio["data"].as_str())?,
                    media_type,
                    "sound".to_owned(),
                )
            }
            _ => None,
        }
    }

    fn of_url(url: &Value, name: String) -> Option<Self> {
        let (media_type, data) = url
            .as_str()?
            .strip_prefix("data:")?
            .split_once(";base64,")?;
        Self::of_data(data, media_type, name)
    }

    fn of_data(data: &str, media_type: &str, name: String) -> Option<Self> {
        let bytes = STANDARD.decode(data).ok()?;
        Some(Self {
            name,
            media_type: media_type.to_owned(),
            bytes,
        })
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::sha256(&self.bytes)
    }

    pub(super) fn attached(&self) -> Attached<String> {
        let (name, media_type) = (self.name.clone(), self.media_type.clone());
        Attached {
            blob: self.digest(),
            media_type,
            name,
            bytes: self.bytes.len() as u64,
        }
    }
}

/// Whether a message has audio without its format.
pub(super) fn has_bare_audio(message: &Value) -> bool {
    message["content"]
        .as_array()
        .is_some_and(|parts| parts.iter().any(|part| part["input_audio"].is_string()))
}

/// A text, or a list of nothing but one.
pub(super) fn text(content: &Value) -> Option<String> {
    match content.as_array().map(Vec::as_slice) {
        None => content.as_str().map(str::to_owned),
        Some([item]) if item["type"] == "text" => item["text"].as_str().map(str::to_owned),
        Some(_) => None,
    }
}
