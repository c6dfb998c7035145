"""The corpus: one file per topic, plain functions `prog_*(tf, np)` that know nothing of who runs them."""
