"""First tables: projects, their parts, changes, named versions, review links.

Revision: 0001
Follows: nothing
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

PARTS = ("entity", "relationship", "access_pattern", "candidate_model", "decision")


def upgrade() -> None:
    _create(
        "project",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("header", sa.JSON(), nullable=False),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("change_number", sa.Integer(), nullable=False),
        _moment("created_at"),
        _moment("changed_at"),
        _moment("deleted_at", nullable=True),
    )
    for part in PARTS:
        _create(
            part,
            *_owner(part, "project"),
            sa.Column("position", sa.Integer(), nullable=False),
            sa.Column("name", sa.String(), nullable=False),
            sa.Column("version", sa.Integer(), nullable=False),
            sa.Column("schema_version", sa.Integer(), nullable=False),
            sa.Column("body", sa.JSON(), nullable=False),
        )
        op.create_index(f"ix_{part}_project_id", part, ["project_id"])
    _create(
        "change",
        *_owner("change", "project"),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("edits", sa.JSON(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("undone_by", sa.Integer(), nullable=True),
        _moment("created_at"),
        sa.UniqueConstraint("project_id", "number", name="uq_change_project_id_number"),
    )
    _create(
        "snapshot",
        *_owner("snapshot", "project"),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("change_number", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _moment("created_at"),
        sa.UniqueConstraint("project_id", "name", name="uq_snapshot_project_id_name"),
    )
    _create(
        "review_link",
        *_owner("review_link", "project"),
        *_owner("review_link", "snapshot", nullable=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        _moment("created_at"),
        _moment("expires_at"),
        _moment("revoked_at", nullable=True),
        _moment("last_used_at", nullable=True),
        sa.Column("views", sa.Integer(), nullable=False),
    )
    op.create_index("ix_review_link_project_id", "review_link", ["project_id"])
    op.create_index("ix_review_link_snapshot_id", "review_link", ["snapshot_id"])


def downgrade() -> None:
    for table in ("review_link", "snapshot", "change", *reversed(PARTS), "project"):
        op.drop_table(table)


def _create(table: str, *columns: sa.schema.SchemaItem) -> None:
    op.create_table(
        table,
        sa.Column("id", sa.Integer(), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sqlite_autoincrement=True,
    )


def _owner(table: str, owner: str, *, nullable: bool = False) -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column(f"{owner}_id", sa.Integer(), nullable=nullable),
        sa.ForeignKeyConstraint(
            [f"{owner}_id"],
            [f"{owner}.id"],
            name=f"fk_{table}_{owner}_id_{owner}",
            ondelete="CASCADE",
        ),
    )


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
