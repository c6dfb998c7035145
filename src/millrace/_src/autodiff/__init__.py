"""Gradients: tapes, the backward sweep, custom gradients."""
