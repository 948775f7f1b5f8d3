//! Finds the places of a file at which a mutant can be made.

mod names;
mod swap;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Signature, Stmt};

use crate::place::{Change, Kind, Place};
use crate::value;

pub use names::{limits, test_modules};

/// The places of one file, in the order of the source. `limits` are the names of constants that are whole numbers.
pub fn places(file: &str, source: &str, limits: &BTreeSet<String>) -> syn::Result<Vec<Place>> {
    let syntax = syn::parse_file(source)?;
    let mut finder = Finder { file, source, limits, within: Vec::new(), ordinals: BTreeMap::new(), places: Vec::new() };
    finder.visit_file(&syntax);
    Ok(finder.places)
}

struct Finder<'a> {
    file: &'a str,
    source: &'a str,
    limits: &'a BTreeSet<String>,
    within: Vec<String>,
    ordinals: BTreeMap<(String, Kind), usize>,
    places: Vec<Place>,
}

impl Finder<'_> {
    fn text(&self, node: &impl Spanned) -> &str {
        self.source.get(node.span().byte_range()).unwrap_or_default()
    }

    fn add(&mut self, kind: Kind, range: Range<usize>, change: Change, shown: String) {
        let function = self.within.join("::");
        let ordinal = self.ordinals.entry((function.clone(), kind)).or_default();
        *ordinal += 1;
        let id = format!("{}:{function}:{kind}:{ordinal}", self.file);
        let line = self.source.get(..range.start).unwrap_or_default().matches('\n').count() + 1;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        self.places.push(Place { id, file: self.file.to_owned(), line, range, change, shown });
    }

    fn replace(&mut self, kind: Kind, node: &impl Spanned, by: String) {
        let shown = format!("{} → {by}", self.text(node));
        self.add(kind, node.span().byte_range(), Change::Replace(by), shown);
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if names::is_for_tests(attributes) || signature.constness.is_some() {
            return;
        }
        self.within.push(signature.ident.to_string());
        self.body(signature, block);
        visit::visit_block(self, block);
        self.within.pop();
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let start = block.brace_token.span.open().byte_range().end;
        let inside =
            self.source.get(start..block.brace_token.span.close().byte_range().start).unwrap_or_default().trim();
        let inside = inside.to_owned();
        if signature.ident == "default" {
            return;
        }
        for value in value::of_return(&signature.output).into_iter().filter(|value| *value != inside) {
            let shown = format!("{} returns {value}", signature.ident);
            self.add(Kind::Body, start..start, Change::Return(value), shown);
        }
    }

    fn named(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.within.push(name);
        visit(self);
        self.within.pop();
    }

    fn condition(&mut self, condition: &Expr) {
        if swap::is_negated_elsewhere(condition) || swap::has_let(condition) {
            return;
        }
        let by = format!("!({})", self.text(condition));
        self.replace(Kind::Negate, condition, by);
    }

    fn statement(&mut self, statement: &Stmt) {
        let Stmt::Expr(expr, Some(_)) = statement else { return };
        let kind = match swap::peeled(expr) {
            Expr::Call(_) | Expr::MethodCall(_) => Kind::Call,
            Expr::Assign(_) => Kind::Assign,
            Expr::Binary(binary) if swap::is_assignment(&binary.op) => Kind::Assign,
            _ => return,
        };
        let shown = format!("without {}", self.text(statement));
        self.add(kind, statement.span().byte_range(), Change::Skip, shown);
    }

    fn binary(&mut self, binary: &syn::ExprBinary) {
        let Some((kind, operator)) = swap::operator(&binary.op) else { return };
        if swap::has_let(&binary.left) || swap::has_let(&binary.right) {
            return;
        }
        let by = format!("{} {operator} {}", self.text(&*binary.left), self.text(&*binary.right));
        self.replace(kind, binary, by);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !names::is_for_tests(&item.attrs) {
            self.named(item.ident.to_string(), |finder| visit::visit_item_mod(finder, item));
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.named(item.ident.to_string(), |finder| visit::visit_item_trait(finder, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if names::is_for_tests(&item.attrs) || names::is_debug(item) {
            return;
        }
        self.named(names::of_impl(item), |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        self.statement(statement);
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        self.binary(binary);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if matches!(unary.op, syn::UnOp::Not(_)) {
            let by = self.text(&*unary.expr).to_owned();
            self.replace(Kind::Negate, unary, by);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.condition(&branch.cond);
        visit::visit_expr_if(self, branch);
    }

    fn visit_expr_while(&mut self, turn: &'ast syn::ExprWhile) {
        self.condition(&turn.cond);
        visit::visit_expr_while(self, turn);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard
            && !swap::has_let(guard)
        {
            let shown = format!("without the guard {}", self.text(&**guard));
            self.add(Kind::Guard, guard.span().byte_range(), Change::Always, shown);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_lit(&mut self, literal: &'ast syn::ExprLit) {
        if let Some(by) = swap::literal(&literal.lit) {
            self.replace(Kind::Literal, literal, by);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let is_limit = path.path.segments.last().is_some_and(|last| self.limits.contains(&last.ident.to_string()));
        for sign in ["+", "-"].iter().filter(|_| is_limit) {
            let by = format!("{} {sign} 1", self.text(path));
            self.replace(Kind::Limit, path, by);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if !names::is_capacity(&call.func) {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    // What is known when it is compiled cannot be switched at run time, and tokens of macros are no expressions yet.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
}
