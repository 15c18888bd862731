"""The JSON API: projects, reports and exports, read-only.

Errors are problem documents (RFC 9457); answers carry ETags.
"""

from app.api.routes import router

__all__ = ["router"]
