//! The one place of a request in which a token may stand: `Authorization: Bearer TOKEN`.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::AuthenticateError;
use super::secret::Secret;

/// The longest token that is looked at, in bytes.
const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// The token of a request.
///
/// # Errors
/// [`AuthenticateError::Nobody`] if there is none; [`AuthenticateError::Malformed`] if there is
/// something else, or more than one.
pub(crate) fn bearer(parts: &Parts) -> Result<Secret, AuthenticateError> {
    let mut values = parts.headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(AuthenticateError::Nobody);
    };
    if values.next().is_some() {
        // A proxy before this server may look at the other one.
        return Err(AuthenticateError::Malformed(
            "there are two Authorization headers: send one",
        ));
    }
    let malformed = AuthenticateError::Malformed("write it as `Authorization: Bearer TOKEN`");
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match token {
        Some(token) if is_token(token) => Ok(Secret::new(token)),
        Some(_) | None => Err(malformed),
    }
}

/// The form `token68` of RFC 9110.
fn is_token(token: &str) -> bool {
    let is_letter = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
    };
    (1..=TOKEN_BYTES_MAX).contains(&token.len()) && token.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn a_token_stands_in_one_bearer_header_and_nowhere_else() {
        let long = format!("Bearer {}", "x".repeat(TOKEN_BYTES_MAX + 1));
        let rows: [(&[&str], Result<&str, bool>); 13] = [
            (&["Bearer fmt_1"], Ok("fmt_1")),
            (&["bearer a.b-c_d"], Ok("a.b-c_d")),
            (&["BEARER  fmt_1"], Ok("fmt_1")),
            (&[], Err(true)),
            (&["Bearer"], Err(false)),
            (&["Bearer "], Err(false)),
            (&["fmt_1"], Err(false)),
            (&["Basic YWRhOnB3"], Err(false)),
            (&["Bearer a b"], Err(false)),
            (&["Bearer a,b"], Err(false)),
            (&[&long], Err(false)),
            (&["Bearer fmt_1", "Bearer fmt_1"], Err(false)),
            (&["Basic YWRhOnB3", "Bearer fmt_1"], Err(false)),
        ];
        for (headers, expected) in rows {
            let mut request = Request::builder().uri("/?token=fmt_1");
            for header in headers {
                request = request.header(AUTHORIZATION, *header);
            }
            let (parts, ()) = request.body(()).unwrap().into_parts();
            let read = bearer(&parts).map(|secret| secret.expose().to_owned());
            let read = read.map_err(|error| error == AuthenticateError::Nobody);
            assert_eq!(read, expected.map(str::to_owned), "{headers:?}");
        }
    }
}
