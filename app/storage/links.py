"""Review links: read-only views for people outside the team.

The address is `/r/{id}.{secret}`. The secret has 256 random bits and is shown once; only its hash is
kept. A link cannot be changed, only revoked.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlmodel import Session, col, select, update

from app.errors import BadInput, NotFound
from app.model.project import Project
from app.storage.engine import Database
from app.storage.parts import live_project, load_in
from app.storage.snapshots import Snapshot, snapshot_in
from app.storage.tables import LinkRow, now

DAYS = (1, 7, 30, 90)


@dataclass(frozen=True, slots=True)
class Link:
    """A review link as the team sees it; it does not hold the secret."""

    id: int
    label: str
    author: str
    snapshot_id: int | None
    """None: the current state, always."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    views: int

    @property
    def is_open(self) -> bool:
        """Whether it still shows the project."""
        return self.revoked_at is None and now() < self.expires_at


@dataclass(frozen=True, slots=True)
class Shared:
    """What a visitor with a link sees. `snapshot` is None for the current state."""

    link: Link
    project_id: int
    project: Project
    change: int
    snapshot: Snapshot | None


def create_link(
    db: Database,
    project_id: int,
    author: str,
    *,
    days: int = 30,
    snapshot_id: int | None = None,
    label: str = "",
) -> tuple[Link, str]:
    """A new link, and the text that stands after `/r/` in its address: shown now and never again.

    Raises:
        BadInput: other than 1, 7, 30 or 90 days. NotFound: no such project or version.
    """
    if days not in DAYS:
        raise BadInput(f"A link lives {', '.join(map(str, DAYS))} days, not {days}.", place="links")
    secret = secrets.token_urlsafe(32)
    with db.write() as session:
        live_project(session, project_id)
        if snapshot_id is not None:
            snapshot_in(session, project_id, snapshot_id)
        row = LinkRow(
            project_id=project_id,
            snapshot_id=snapshot_id,
            label=label.strip(),
            secret_hash=_hash(secret),
            author=author,
            expires_at=now() + timedelta(days=days),
        )
        session.add(row)
        session.flush()
        return _link(row), f"{row.id}.{secret}"


def list_links(db: Database, project_id: int) -> Sequence[Link]:
    """All links ever made, newest first."""
    with db.read() as session:
        live_project(session, project_id)
        found = select(LinkRow).where(col(LinkRow.project_id) == project_id)
        return [_link(row) for row in session.exec(found.order_by(col(LinkRow.id).desc()))]


def revoke_link(db: Database, project_id: int, link_id: int) -> Link:
    """Close a link at once; closing it twice keeps the first moment.

    Raises:
        NotFound: this project has no such link.
    """
    with db.write() as session:
        live_project(session, project_id)
        row = session.get(LinkRow, link_id)
        if row is None or row.project_id != project_id:
            raise NotFound("There is no such link.", place="links")
        row.revoked_at = row.revoked_at or now()
        return _link(row)


def open_link(db: Database, secret: str) -> Shared:
    """What the link shows, counted as a view. `secret` is the text after `/r/`.

    Raises:
        NotFound: unknown, expired or revoked; a wrong secret learns nothing more.
    """
    with db.read() as session:
        shared = _shown(db, session, _find(session, secret))
    with db.write() as session:
        session.exec(
            update(LinkRow)
            .where(col(LinkRow.id) == shared.link.id)
            .values(views=col(LinkRow.views) + 1, last_used_at=now())
        )
    return shared


def _find(session: Session, secret: str) -> LinkRow:
    number, _, rest = secret.partition(".")
    known = number.isascii() and number.isdigit() and len(number) < 18
    row = session.get(LinkRow, int(number)) if known else None
    # Compared also where there is nothing, so that an answer takes the same time.
    right = hmac.compare_digest(row.secret_hash if row else "0" * 64, _hash(rest))
    if row is None or not right:
        raise NotFound("This link does not lead anywhere.", fix="Ask whoever sent it for a new one.")
    link = _link(row)
    if not link.is_open:
        gone = "was withdrawn" if link.revoked_at else "has expired"
        raise NotFound(f"This link {gone}.", fix="Ask whoever sent it for a new one.")
    return row


def _shown(db: Database, session: Session, row: LinkRow) -> Shared:
    if row.snapshot_id is None:
        loaded = load_in(db, session, row.project_id)
        return Shared(_link(row), row.project_id, loaded.project, loaded.change, None)
    live_project(session, row.project_id)
    snapshot, project = snapshot_in(session, row.project_id, row.snapshot_id)
    return Shared(_link(row), row.project_id, project, snapshot.change, snapshot)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _link(row: LinkRow) -> Link:
    assert row.id is not None  # noqa: S101  # it was flushed or read
    return Link(
        row.id,
        row.label,
        row.author,
        row.snapshot_id,
        row.created_at,
        row.expires_at,
        row.revoked_at,
        row.last_used_at,
        row.views,
    )


__all__ = ["DAYS", "Link", "Shared", "create_link", "list_links", "open_link", "revoke_link"]
