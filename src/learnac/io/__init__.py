"""Models and searches on disk, in our own format and in those of other tools."""

from learnac.compiler import compile_network
from learnac.io.bif_reader import read_bif
from learnac.io.bif_writer import write_bif
from learnac.io.checkpoint_file import read_checkpoint, write_checkpoint
from learnac.io.libra_ac_reader import read_ac
from learnac.io.libra_ac_writer import write_ac
from learnac.io.libra_bn_reader import read_bn
from learnac.io.libra_bn_writer import write_bn
from learnac.io.model_file import read_model, write_model
from learnac.io.objects import network_of
from learnac.io.uai import read_uai, write_uai
from learnac.io.xmlbif_reader import read_xmlbif

__all__ = [
    "compile_network",
    "network_of",
    "read_ac",
    "read_bif",
    "read_bn",
    "read_checkpoint",
    "read_model",
    "read_uai",
    "read_xmlbif",
    "write_ac",
    "write_bif",
    "write_bn",
    "write_checkpoint",
    "write_model",
    "write_uai",
]
