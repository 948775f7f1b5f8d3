//! What items are called, and which of them are no code of the product.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ItemImpl, Meta, Type};

/// Whether an item is compiled for tests only.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let tokens = list.tokens.to_string();
            !tokens.contains("not") && (tokens.contains("test") || tokens.contains("testing"))
        }
        Meta::List(_) | Meta::NameValue(_) => false,
    })
}

/// The name of what is implemented, with its trait.
pub fn of_impl(item: &ItemImpl) -> String {
    let of = match &*item.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    let of = of.unwrap_or_else(|| "_".to_owned());
    match item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()) {
        Some(name) => format!("{} for {of}", name.ident),
        None => of,
    }
}

/// Whether nobody but a programmer sees what it writes.
pub fn is_debug(item: &ItemImpl) -> bool {
    let name = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
    name.is_some_and(|name| name.ident == "Debug")
}

/// Whether a call only says how much memory to take at once.
pub fn is_capacity(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "with_capacity"))
}

/// The names of the constants of a file that are whole numbers.
pub fn limits(source: &str) -> syn::Result<BTreeSet<String>> {
    let mut found = Limits(BTreeSet::new());
    found.visit_file(&syn::parse_file(source)?);
    Ok(found.0)
}

/// The modules of a file that have files of their own and are compiled for tests only.
pub fn test_modules(source: &str) -> syn::Result<Vec<String>> {
    let items = syn::parse_file(source)?.items.into_iter();
    let modules = items.filter_map(|item| match item {
        syn::Item::Mod(module) if is_for_tests(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    Ok(modules.collect())
}

struct Limits(BTreeSet<String>);

impl Limits {
    fn constant(&mut self, name: &syn::Ident, ty: &Type) {
        const WHOLE: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "u128"];
        if matches!(ty, Type::Path(path) if WHOLE.iter().any(|whole| path.path.is_ident(whole))) {
            self.0.insert(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Limits {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(&item.ident, &item.ty);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(&item.ident, &item.ty);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}
