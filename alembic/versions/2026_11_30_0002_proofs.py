"""Proofs: what real engines said about a candidate model.

Revision: 0002
Follows: 0001
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "proof",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("model_row", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("store", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("change_number", sa.Integer(), nullable=False),
        sa.Column("basis", sa.JSON(), nullable=False),
        sa.Column("scale", sa.Float(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("said", sa.String(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_proof_project_id_project", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_proof"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_proof_project_id", "proof", ["project_id"])


def downgrade() -> None:
    op.drop_index("ix_proof_project_id", "proof")
    op.drop_table("proof")
