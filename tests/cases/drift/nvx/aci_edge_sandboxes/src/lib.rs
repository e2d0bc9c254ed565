pub const ARTIFACTS: &str = include_str!("../artifacts.json");
