//! The helper under which the tests run programs, and the worker that runs their blocking tools: a binary of this package,
//! so that it is built before its tests are.

fn main() -> std::process::ExitCode {
    folkmoot::tool_helper_main_with(
        &folkmoot::Workers::new().with(folkmoot_tests::Stubborn::new("stubborn", 1000)),
    );
    std::process::ExitCode::FAILURE
}
