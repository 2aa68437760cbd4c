"""The nouns every part of floe shares; nothing here touches the world."""

from floe.model.contract import LAYERS, Contract, Dataset, Field, Noun, QualityRule, Relationship, Server, Sla
from floe.model.errors import (
    ContractError,
    EngineError,
    FloeError,
    LeaseError,
    RegistryError,
    SendError,
    SettingError,
    TableCause,
    TableError,
    ViolationError,
)
from floe.model.finding import Finding, Message, Place, Severity, Step, dotted
from floe.model.yaml_text import List, Map, locate

__all__ = [
    "LAYERS",
    "Contract",
    "ContractError",
    "Dataset",
    "EngineError",
    "Field",
    "Finding",
    "FloeError",
    "LeaseError",
    "List",
    "Map",
    "Message",
    "Noun",
    "Place",
    "QualityRule",
    "RegistryError",
    "Relationship",
    "SendError",
    "Server",
    "SettingError",
    "Severity",
    "Sla",
    "Step",
    "TableCause",
    "TableError",
    "ViolationError",
    "dotted",
    "locate",
]
