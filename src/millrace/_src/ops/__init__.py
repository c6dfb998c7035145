"""Every op, in its one home; the folders follow `tf.*`."""
