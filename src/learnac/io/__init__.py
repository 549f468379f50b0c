"""Models and searches on disk, in our own format and in those of other tools."""

from learnac.io.checkpoint_file import read_checkpoint, write_checkpoint
from learnac.io.model_file import StoredModel, read_model, write_model

__all__ = ["StoredModel", "read_checkpoint", "read_model", "write_checkpoint", "write_model"]
