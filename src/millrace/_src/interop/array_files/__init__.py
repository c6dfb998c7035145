"""Files of named arrays: checkpoints, safetensors and npz files, read and written alike."""
