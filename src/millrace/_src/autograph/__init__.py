"""AutoGraph: Python control flow over tensors becomes graph control flow."""
