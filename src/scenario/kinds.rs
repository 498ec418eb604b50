//! Tables with a `kind`: each kind has a settings struct of its own.

use super::error::Fault;
use super::section::Section;

/// A choice of settings by the key `kind`.
pub(super) trait Kinds: Sized {
    /// The words that `kind` may be, in the order of the documentation.
    const KINDS: &'static [&'static str];

    /// Reads the settings of a kind that is one of [`Self::KINDS`].
    fn read_kind(kind: &str, section: Section<'_>, also: &[&str]) -> Result<Self, Box<Fault>>;

    /// Reads a table with a `kind`. `also` are keys of the table that were
    /// taken out of it before, for suggestions.
    fn read(mut section: Section<'_>, also: &[&str]) -> Result<Self, Box<Fault>> {
        let places = section.places.clone();
        let kind = section.take_text("kind")?.ok_or_else(|| section.missing("kind"))?;
        if !Self::KINDS.contains(&kind.as_str()) {
            return Err(places.unknown("kind", "kind", &kind, Self::KINDS));
        }
        let also: Vec<&str> = also.iter().chain(&["kind"]).copied().collect();
        Self::read_kind(&kind, section, &also)
    }
}

/// Declares an enum of settings by kind, one line a kind.
macro_rules! kinds {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$doc:meta])* $kind:literal => $variant:ident($settings:ty), )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(tag = "kind")]
        pub enum $name {
            $( $(#[$doc])* #[serde(rename = $kind)] $variant($settings), )+
        }

        impl $name {
            /// The word that names the kind.
            pub fn kind(&self) -> &'static str {
                match self { $( Self::$variant(_) => $kind, )+ }
            }
        }

        impl $crate::scenario::kinds::Kinds for $name {
            const KINDS: &'static [&'static str] = &[$($kind),+];

            fn read_kind(
                kind: &str,
                section: $crate::scenario::section::Section<'_>,
                also: &[&str],
            ) -> Result<Self, Box<$crate::scenario::Fault>> {
                $( if kind == $kind {
                    let (settings, _) = section.read::<$settings>(also, |settings| settings.check())?;
                    return Ok(Self::$variant(settings));
                } )+
                Err(section.missing("kind"))
            }
        }
    };
}
pub(super) use kinds;
