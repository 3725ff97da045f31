"""Learners and boosters are declared once: name, parameters with default, range and sentence, and native kind.

Exports, checks, messages, the command line, model files, the tables of the tests and `docs/reference` derive from here.
"""

from onlineboost.declarations.component import Component
from onlineboost.declarations.parameters import Choice, Flag, Integer, Object, Parameter, Real

__all__ = ["Choice", "Component", "Flag", "Integer", "Object", "Parameter", "Real"]
