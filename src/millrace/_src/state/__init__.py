"""Objects with state: variables, modules, generators."""
