"""A catalog of key families (key pattern, type, time to live, owner, notes): a project with a Redis model.

A catalog says where things lie, not what is asked: entities follow from the keys, access patterns are a question.
"""

from __future__ import annotations

from pydantic import ValidationError

from app.errors import BadInput
from app.importers.format import MAX_CELL, MAX_ROWS, Imported, Importer, Question, RowReading
from app.importers.grid.block import Block, clean
from app.importers.grid.delimited import delimited_blocks
from app.importers.grid.headers import bare
from app.importers.grid.pipes import pipe_blocks
from app.importers.grid.surroundings import around
from app.importers.reading.context import project_name
from app.importers.reading.draft import Draft
from app.importers.reading.families import Family, read_family
from app.importers.table import read_tables
from app.model.candidate import Candidate
from app.model.project import Project

_ROLES = {
    "key": ("key pattern", "key", "keys", "pattern", "key name", "key template", "redis key", "clave", "patron"),
    "type": ("type", "data type", "value type", "structure", "redis type", "tipo"),
    "ttl": ("ttl", "expiry", "expiration", "expires", "time to live", "lifetime", "caducidad"),
    "owner": ("owner", "team", "service", "owned by", "dueno", "equipo"),
    "purpose": ("purpose", "used for", "use", "proposito", "uso"),
    "notes": ("notes", "note", "description", "comment", "comments", "remarks", "notas", "descripcion"),
}
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names}


def names_keys(headers: tuple[str, ...]) -> bool:
    """Whether these headers are those of a key catalog: a key, and its type or its time to live."""
    roles = {_ROLE_OF.get(bare(h), "") for h in headers}
    said = any("key" in bare(h) or "clave" in bare(h) for h in headers)
    return "key" in roles and ("ttl" in roles or ("type" in roles and said))


def _blocks(lines: list[str]) -> list[Block]:
    piped = list(pipe_blocks(lines, names_keys))
    used = {n for b in piped for n in range(b.start, b.end)}
    free = ["" if n in used or line.count("|") > 1 else line for n, line in enumerate(lines, 1)]
    separated = [b for b in delimited_blocks(free, names_keys) if b.header and names_keys(b.rows[0])]
    return sorted([*piped, *separated], key=lambda b: b.start)


def _rows(block: Block) -> list[tuple[int, dict[str, str], list[str]]]:
    """Line, cells by role, and what stands in columns without one (`Header: cell`)."""
    roles: list[str] = []
    for header in block.rows[0]:
        role = _ROLE_OF.get(bare(header), "")
        roles.append("" if role in roles else role)
    out = []
    for cells, line in list(zip(block.rows, block.lines, strict=True))[1:]:
        said = {role: cell for role, cell in zip(roles, cells, strict=True) if role and cell}
        others = [f"{h}: {c}" for h, c, role in zip(block.rows[0], cells, roles, strict=True) if c and not role]
        if any(len(c) > MAX_CELL for c in cells):
            raise BadInput(f"Line {line} has a cell of more than {MAX_CELL:,} characters.", fix="Shorten it.")
        if any(cells):
            out.append((line, said, others))
    return out


def read_catalog(text: str, into: Project | None = None) -> Imported:
    """The project with a Redis model of the families in a text. Raises `BadInput` where it holds no catalog."""
    lines = clean(text).split("\n")
    blocks = _blocks(lines)
    rows = [row for block in blocks for row in _rows(block)]
    if not rows:
        raise BadInput(
            "No key catalog was found.", fix="Paste a table with the columns Key pattern, Type, TTL, Owner, Notes."
        )
    if len(rows) > MAX_ROWS:
        raise BadInput(f"{len(rows):,} rows are more than {MAX_ROWS:,}.", fix="Paste the table in parts.")
    used = {n for b in blocks for n in range(b.start, b.end)}
    note, unread = around(lines, used, keep=into is None)
    project = into or Project(name=project_name(lines, used) or "Pasted key catalog", note=note)
    draft = Draft(project)
    model = _name(project)
    families: list[Family] = []
    for _, said, others in rows:
        families.append(read_family(said, others, draft, model, {f.name for f in families}))
    return Imported(
        _project(project, model, families, draft),
        tuple(
            RowReading(line, said.get("key", ""), f.name, f.reading, bool(f.entity))
            for (line, said, _), f in zip(rows, families, strict=True)
        ),
        tuple(dict.fromkeys([*_asks(model), *(q for f in families for q in f.questions)])),
        unread,
    )


def _asks(model: str) -> list[Question]:
    text = "A key catalog names no access patterns. What does the application read and write, and how often?"
    return [
        Question("patterns", text, "Load session: get session, 5k/s"),
        Question(
            f"models/{model}/options", "How much memory, which eviction policy, how many nodes?", "maxmemory: 8 GB"
        ),
    ]


def _name(project: Project) -> str:
    taken = {m.name for m in project.models}
    name, n = "Redis keys", 1
    while name in taken:
        n += 1
        name = f"Redis keys {n}"
    return name


def _project(project: Project, model: str, families: list[Family], draft: Draft) -> Project:
    entities, relationships = draft.finish()
    plain = {"name": model, "store": "redis", "structures": [f.plain for f in families]}
    try:
        candidate = Candidate.model_validate(plain)
        stores = project.stores if "redis" in project.stores else (*project.stores, "redis")
        changed = {"entities": entities, "relationships": relationships, "stores": stores}
        return project.model_copy(update={**changed, "models": (*project.models, candidate)})
    except ValidationError as why:
        first = why.errors(include_url=False)[0]
        raise BadInput(f"The key catalog cannot be read: {first['msg']}.", fix="Correct that row.") from why


def _detect(text: str, filename: str) -> float:
    del filename
    try:
        if not _blocks(clean(text).split("\n")):
            return 0.0
        patterns = any(t.kind != "list" for t in read_tables(text))
    except BadInput:
        return 0.0
    return 0.7 if patterns else 0.92


FORMAT = Importer("key-catalog", "Redis key catalog (Markdown, CSV, spreadsheet)", _detect, read_catalog)
