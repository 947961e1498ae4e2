"""Optional packages that a test needs: a visible skip without one, in CI a failure."""

import importlib
import os
import warnings
from typing import Any

import pytest


def needed(module: str, extra: str) -> Any:
    """Import a module, also at the top of a test's file.

    Args:
        module: Its name.
        extra: The extra of this distribution that brings it.
    """
    try:
        with warnings.catch_warnings():
            # What a package of others warns of at its import is not what is tested.
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError as error:
        message = f"{error}. Install it with: pip install 'langgraph-layered-memory[{extra}]'"
        if os.environ.get("CI"):
            pytest.fail(message, pytrace=False)
        pytest.skip(message, allow_module_level=True)
