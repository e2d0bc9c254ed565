#[test]
fn help() {}
