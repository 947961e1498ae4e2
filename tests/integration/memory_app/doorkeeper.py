"""Authentication of a server with users: a header says who, as a token would.

No thread is kept from anybody, so that what keeps users apart in a test is memory alone.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(headers: dict[Any, Any]) -> str:
    """The user whom the header names."""
    named = headers.get(b"x-user") or headers.get("x-user")
    if not named:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Say who you are.")
    return unquote(named.decode() if isinstance(named, bytes) else named)
