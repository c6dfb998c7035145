"""Objects a checkpoint can walk."""
