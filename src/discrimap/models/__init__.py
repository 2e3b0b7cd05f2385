"""Fitted models, and model files that cannot run code when they are loaded."""

from discrimap.models.model import Model, fit_model
from discrimap.models.model_file import load_model, save_model

__all__ = ["Model", "fit_model", "load_model", "save_model"]
