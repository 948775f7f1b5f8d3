//! The helper under which the tests run programs: a binary of this package, so that it is built before its tests are.

fn main() -> std::process::ExitCode {
    folkmoot::tools::helper_main()
}
