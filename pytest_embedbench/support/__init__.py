"""What every room may use: checked input, paths, modules by name, tables of symbols."""
