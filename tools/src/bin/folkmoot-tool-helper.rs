//! The helper under which Folkmoot runs programs, for embedders that do not want to be it themselves.

fn main() -> std::process::ExitCode {
    folkmoot_tools::helper_main()
}
