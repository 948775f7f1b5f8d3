//! What an operator or a literal is exchanged for.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, UnOp};

use crate::place::Kind;

/// The operator that is written instead, and what kind of mistake that is.
pub fn operator(operator: &BinOp) -> Option<(Kind, &'static str)> {
    Some(match operator {
        BinOp::Eq(_) => (Kind::Compare, "!="),
        BinOp::Ne(_) => (Kind::Compare, "=="),
        BinOp::Lt(_) => (Kind::Compare, "<="),
        BinOp::Le(_) => (Kind::Compare, "<"),
        BinOp::Gt(_) => (Kind::Compare, ">="),
        BinOp::Ge(_) => (Kind::Compare, ">"),
        BinOp::And(_) => (Kind::Logic, "||"),
        BinOp::Or(_) => (Kind::Logic, "&&"),
        BinOp::Add(_) => (Kind::Arithmetic, "-"),
        BinOp::Sub(_) | BinOp::Mul(_) => (Kind::Arithmetic, "+"),
        BinOp::Div(_) => (Kind::Arithmetic, "*"),
        BinOp::Rem(_) => (Kind::Arithmetic, "/"),
        BinOp::BitAnd(_) | BinOp::BitXor(_) => (Kind::Arithmetic, "|"),
        BinOp::BitOr(_) => (Kind::Arithmetic, "&"),
        BinOp::Shl(_) => (Kind::Arithmetic, ">>"),
        BinOp::Shr(_) => (Kind::Arithmetic, "<<"),
        BinOp::AddAssign(_) => (Kind::Arithmetic, "-="),
        BinOp::SubAssign(_) => (Kind::Arithmetic, "+="),
        _ => return None,
    })
}

/// Whether an operator writes to its left side.
pub fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// One more, or the other truth.
pub fn literal(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Int(number) => {
            let value = number.base10_parse::<u64>().ok()?;
            Some(format!("{}{}", value.checked_add(1)?, number.suffix()))
        }
        Lit::Bool(truth) => Some((!truth.value).to_string()),
        _ => None,
    }
}

/// Whether another mutant turns this condition around already.
pub fn is_negated_elsewhere(condition: &Expr) -> bool {
    match condition {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
        Expr::Binary(binary) => operator(&binary.op).is_some_and(|(kind, _)| kind == Kind::Compare),
        Expr::Paren(inner) => is_negated_elsewhere(&inner.expr),
        Expr::Lit(_) => true,
        _ => false,
    }
}

/// Whether a condition binds names: such a chain is no expression.
pub fn has_let(condition: &Expr) -> bool {
    let mut found = Lets(false);
    found.visit_expr(condition);
    found.0
}

struct Lets(bool);

impl<'ast> Visit<'ast> for Lets {
    fn visit_expr_let(&mut self, _: &'ast syn::ExprLet) {
        self.0 = true;
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        if matches!(expr, Expr::Let(_) | Expr::Binary(_) | Expr::Paren(_) | Expr::Unary(_)) {
            visit::visit_expr(self, expr);
        }
    }
}

/// An expression without what is asked of its value.
pub fn peeled(expr: &Expr) -> &Expr {
    match expr {
        Expr::Try(inner) => peeled(&inner.expr),
        Expr::Await(inner) => peeled(&inner.base),
        Expr::Paren(inner) => peeled(&inner.expr),
        _ => expr,
    }
}
