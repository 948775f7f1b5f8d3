//! Trivial values of a type, as far as its text tells.

use syn::{GenericArgument, Path, PathArguments, ReturnType, Type};

/// What a function with this return type could give instead of doing its work; some of it may not compile.
pub fn of_return(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec![String::new()],
        ReturnType::Type(_, ty) => of(ty),
    }
}

fn of(ty: &Type) -> Vec<String> {
    match ty {
        Type::Path(path) => of_path(&path.path),
        Type::Reference(reference) => of_reference(&reference.elem),
        Type::Tuple(tuple) => {
            let firsts: Option<Vec<String>> = tuple.elems.iter().map(|elem| of(elem).into_iter().next()).collect();
            firsts.map(|firsts| format!("({})", firsts.join(", "))).into_iter().collect()
        }
        Type::Paren(inner) => of(&inner.elem),
        _ => Vec::new(),
    }
}

fn of_reference(ty: &Type) -> Vec<String> {
    match ty {
        Type::Path(path) if path.path.is_ident("str") => texts(["\"\"", "\"xyzzy\""]),
        Type::Slice(_) => texts(["&[]"]),
        _ => Vec::new(),
    }
}

fn of_path(path: &Path) -> Vec<String> {
    let Some(last) = path.segments.last() else { return Vec::new() };
    let inner = argument(&last.arguments);
    match last.ident.to_string().as_str() {
        "bool" => texts(["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            texts(["0", "1"])
        }
        "f32" | "f64" => texts(["0.0", "1.0"]),
        "String" => texts(["String::new()", "\"xyzzy\".to_owned()"]),
        "Option" => {
            let some = inner.map(of).unwrap_or_default().into_iter().take(1).map(|value| format!("Some({value})"));
            texts(["None"]).into_iter().chain(some).collect()
        }
        "Result" => match inner {
            None => texts(["Ok(Default::default())"]),
            Some(inner) => of(inner).into_iter().map(|value| format!("Ok({value})")).collect(),
        },
        _ => texts(["Default::default()"]),
    }
}

fn argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn texts<const N: usize>(values: [&str; N]) -> Vec<String> {
    values.map(str::to_owned).into()
}
