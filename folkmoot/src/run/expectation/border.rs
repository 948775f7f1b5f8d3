//! What people saw of tools' outputs, and what was kept from them.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{ArtifactWithheld, CallEvent, Event, TalkEvent, ToolFinished};
use folkmoot_core::ids::{CallId, ToolName};
use folkmoot_core::text::firewall::ArtifactFamily;
use folkmoot_core::text::view::{blocks, plain};
use folkmoot_core::tool::{Artifact, View};

use super::super::evidence::Evidence;
use super::{Differs, events, number, same, shown};
use crate::script::{ArtifactMatch, WithheldMatch};
use crate::words::word;

/// An artifact that people saw, with the call that gave it.
type Seen<'c> = (&'c ToolFinished, &'c Artifact);

impl Evidence {
    pub(super) fn artifact(
        &self,
        wanted: Option<&ArtifactMatch>,
        commits: &[Commit],
    ) -> Result<(), Differs> {
        let all: Vec<Seen<'_>> = events(commits).flat_map(artifacts).collect();
        let tools = tools(&self.run);
        let came = || {
            let described = all.iter().map(|(finished, artifact)| {
                let Artifact { kind, data } = artifact;
                format!("{kind} for {} with {data}", finished.agent)
            });
            format!("shown was: {}", shown(described))
        };
        match wanted {
            None if all.is_empty() => Ok(()),
            None => Err(("no artifact".to_owned(), came())),
            Some(wanted) if all.iter().any(|seen| self.is_meant(wanted, seen, &tools)) => Ok(()),
            Some(wanted) => Err((format!("an {wanted}"), came())),
        }
    }

    fn is_meant(
        &self,
        wanted: &ArtifactMatch,
        (finished, artifact): &Seen<'_>,
        tools: &BTreeMap<CallId, ToolName>,
    ) -> bool {
        let drawn = || {
            plain(&blocks(
                &View::Artifact((*artifact).clone()),
                &self.world.rules().spec().kinds(),
            ))
        };
        wanted
            .kind
            .as_ref()
            .is_none_or(|kind| *kind == artifact.kind)
            && wanted
                .agent
                .as_ref()
                .is_none_or(|agent| *agent == finished.agent)
            && wanted
                .tool
                .as_ref()
                .is_none_or(|tool| Some(tool) == tools.get(&finished.call))
            && wanted.fits_data(&artifact.data)
            && wanted
                .contains
                .as_ref()
                .is_none_or(|part| drawn().contains(part.as_str()))
    }
}

fn artifacts(event: &Event) -> impl Iterator<Item = Seen<'_>> {
    let finished = if let Event::Call(CallEvent::ToolFinished(finished)) = event {
        Some(finished)
    } else {
        None
    };
    finished.into_iter().flat_map(|finished| {
        finished
            .views()
            .filter_map(move |view| Some((finished, artifact(view)?)))
    })
}

const fn artifact(view: &View) -> Option<&Artifact> {
    if let View::Artifact(artifact) = view {
        Some(artifact)
    } else {
        None
    }
}

/// The tools of all calls.
fn tools(run: &[Commit]) -> BTreeMap<CallId, ToolName> {
    let admitted = events(run).filter_map(|event| {
        if let Event::Call(CallEvent::CallsAdmitted(calls)) = event {
            Some(calls)
        } else {
            None
        }
    });
    let calls = admitted.flat_map(|admitted| &admitted.calls);
    calls
        .filter_map(|call| Some((call.call, call.tool.clone()?)))
        .collect()
}

pub(super) fn withheld(wanted: &WithheldMatch, commits: &[Commit]) -> Result<(), Differs> {
    let all = events(commits).filter_map(kept_back);
    let all = all.filter(|withheld| {
        wanted
            .from
            .as_ref()
            .is_none_or(|from| *from == withheld.agent)
    });
    let families: Vec<ArtifactFamily> = all
        .flat_map(|withheld| &withheld.spans)
        .map(|span| span.family)
        .collect();
    match (&wanted.families, wanted.count) {
        (Some(wanted), _) => same("withheld", &words(wanted), &words(&families)),
        (None, count) => same(
            "withheld pieces",
            &count.unwrap_or(0),
            &number(families.len()),
        ),
    }
}

const fn kept_back(event: &Event) -> Option<&ArtifactWithheld> {
    if let Event::Talk(TalkEvent::ArtifactWithheld(withheld)) = event {
        Some(withheld)
    } else {
        None
    }
}

fn words(families: &[ArtifactFamily]) -> Vec<String> {
    families.iter().map(word).collect()
}
