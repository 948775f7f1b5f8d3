//! A world's fold, read back from a checkpoint.

/// Declares the state of a world, and its fields once more as what a checkpoint is read into. So
/// `World` itself has no `Deserialize`, and none of its texts for models can be made by parsing.
macro_rules! checkpointed {
    ($(#[$of_world:meta])* pub struct World { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$of_world])*
        pub struct World { $($(#[$of_field])* $field: $kind,)* }

        #[derive(serde::Deserialize)]
        #[serde(remote = "World")]
        struct Checkpoint { $($(#[$of_field])* $field: $kind,)* }

        impl World {
            /// Reads a fold that was written with `Serialize`.
            ///
            /// A checkpoint is inside the trust boundary, like the log: it holds what models are
            /// told as what it is, and nothing here can tell whether the log says the same. So it
            /// is read only from a store that nobody else writes to, and only if it was made by the
            /// rules in force.
            ///
            /// # Errors
            /// The bytes are no fold of this build.
            pub fn restore(bytes: &[u8]) -> Result<Self, serde_json::Error> {
                let mut json = serde_json::Deserializer::from_slice(bytes);
                let world = Checkpoint::deserialize(&mut json)?;
                json.end()?;
                Ok(world)
            }
        }
    };
}

pub(super) use checkpointed;
