"""The scenarios, a topic a file."""
