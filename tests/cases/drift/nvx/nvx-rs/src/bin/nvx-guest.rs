fn main() { nvx_rs::shared(); }
