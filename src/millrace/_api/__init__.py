"""The public surface: a generated table and the lazy namespaces that serve it."""
