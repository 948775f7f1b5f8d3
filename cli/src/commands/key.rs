//! `folkmoot key`.

use folkmoot::core::port::Signer as _;
use folkmoot::{HeadSigner, KeyFile};

use crate::arguments::{CommonArgs, KeyArgs};
use crate::exit::CliError;
use crate::show;
use crate::signing::key_file;
use crate::terminal::Terminal;

/// Makes a key, or shows the public part of one.
pub(crate) fn key(common: &CommonArgs, arguments: KeyArgs) -> Result<(), CliError> {
    match arguments {
        KeyArgs::New(new) => {
            let file = key_file(common, new.file)?;
            let signer = file.create(&new.name)?;
            tell(common, &file, &signer)?;
            if !common.quiet {
                let how = "keep it from others, and out of every store; the line above is the public key, for whoever checks";
                show::remark(&format!("the key is in {}: {how}", file.path().display()));
            }
            Ok(())
        }
        KeyArgs::Show(shown) => {
            let file = KeyFile::at(shown.file);
            tell(common, &file, &file.read()?)
        }
    }
}

fn tell(common: &CommonArgs, file: &KeyFile, signer: &HeadSigner) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    let public = signer.verifier();
    if common.json {
        let told = serde_json::json!({
            "file": file.path().display().to_string(),
            "key": signer.key(),
            "public": public.to_string(),
        });
        return terminal.document(&told);
    }
    terminal.line(&public.to_string())
}
