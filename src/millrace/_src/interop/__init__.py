"""Other worlds: `import tensorflow`, Keras."""
