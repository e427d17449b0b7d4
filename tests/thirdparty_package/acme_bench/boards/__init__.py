"""The boards, one TOML file each."""
