"""Variables of TensorFlow 1: by name, in scopes, in collections of the graph.

`get_variable.py` finds or makes a variable under the scope in force (`scope_state.py`). Start with
`variable_scope.py`.
"""
