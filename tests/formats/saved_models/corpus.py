"""All programs, by name; and those that are refused."""

from __future__ import annotations

from tests.formats.saved_models.composites import COMPOSITES
from tests.formats.saved_models.containers import CONTAINERS
from tests.formats.saved_models.control_flow import CONTROL_FLOW
from tests.formats.saved_models.functions import FUNCTIONS
from tests.formats.saved_models.gradients import GRADIENTS
from tests.formats.saved_models.keras_models import KERAS
from tests.formats.saved_models.model import Model
from tests.formats.saved_models.ops import OPS
from tests.formats.saved_models.options import OPTIONS
from tests.formats.saved_models.refused import REFUSED as _REFUSED
from tests.formats.saved_models.signatures import SIGNATURES
from tests.formats.saved_models.structures import STRUCTURES
from tests.formats.saved_models.tables import TABLES
from tests.formats.saved_models.v1 import V1
from tests.formats.saved_models.variables import VARIABLES

_TOPICS = (
    VARIABLES,
    CONTAINERS,
    FUNCTIONS,
    STRUCTURES,
    COMPOSITES,
    CONTROL_FLOW,
    OPS,
    TABLES,
    SIGNATURES,
    GRADIENTS,
    OPTIONS,
    KERAS,
    V1,
)

MODELS: dict[str, Model] = {f"{topic.topic}-{model.name}": model for topic in _TOPICS for model in topic.all}
REFUSED: dict[str, Model] = {model.name: model for model in _REFUSED.all}
