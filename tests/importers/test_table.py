"""Finding tables and lists in text, and reading their cells."""

from __future__ import annotations

import pytest

from app.errors import BadInput
from app.importers import read_patterns, read_table
from app.importers.grid.headers import names_operations, roles_of, unit_of
from app.importers.reading.nouns import singular, singular_spanish

ORDERS = ["Load order", "Add item"]

TABLES = {
    "plain": "| Operation | Freq |\n|---|---|\n| Load order | 5/s |\n| Add item | 3/s |\n",
    "no outer pipes": "Operation | Freq\n--- | ---\nLoad order | 5/s\nAdd item | 3/s\n",
    "indented in a list": "1. A\n\n  | Operation | Freq |\n  |:-:|-:|\n  | Load order | 5/s |\n  | Add item | 3/s |\n",
    "blank lines between rows": "| Operation | Freq |\n\n|---|---|\n\n| Load order | 5/s |\n\n| Add item | 3/s |\n",
    "no separator": "| Operation | Freq |\n| Load order | 5/s |\n| Add item | 3/s |\n",
    "quoted": "> | Operation | Freq |\n> |---|---|\n> | Load order | 5/s |\n> | Add item | 3/s |\n",
    "separator too short": "| Operation | Freq |\n|---|\n| Load order | 5/s |\n| Add item | 3/s |\n",
    "box": "┌─────┬────┐\n│ Operation │ Freq │\n├─────┼────┤\n│ Load order│ 5/s  │\n│ Add item  │ 3/s  │\n└──┴──┘\n",
    "box with a frame under each row": (
        "╔═══════════╦══════╗\n║ Operation ║ Freq ║\n╠═══════════╬══════╣\n║ Load ║ 5/s ║\n║ order ║ ║\n"
        "╟───────────╫──────╢\n║ Add item  ║ 3/s  ║\n╚═══════════╩══════╝\n"
    ),
    "mysql": "+-----+-----+\n| Operation | Freq |\n+-----+-----+\n| Load order| 5/s |\n| Add item | 3/s |\n+--+--+\n",
    "psql": " operation  | freq \n------------+------\n Load order | 5/s\n Add item   | 3/s\n(2 rows)\n",
    "csv": "Operation,Freq\nLoad order,5/s\nAdd item,3/s\n",
    "csv in quotes": '"Operation","Freq"\r\n"Load order","5/s"\r\n"Add item","3/s"\r\n',
    "csv with semicolons": "Freq;Operation\n5/s;Load order\n3/s;Add item\n",
    "csv with a mark at its start": "\ufeffOperation,Freq\nLoad order,5/s\nAdd item,3/s\n",
    "spreadsheet": "Operation\tFreq\nLoad order\t5/s\nAdd item\t3/s\n",
    "spreadsheet without headers": "1\tLoad order\torder\t5/s\n2\tAdd item\titems\t3/s\n",
    "numbered": "Access patterns:\n\n1. Load order (5/s)\n2. Add item (3/s)\n",
    "bullets with dashes": "- Load order — 5/s\n- Add item — 3/s\n",
    "bold ids": "## Access patterns\n\n- **AP1**: Load order (5/s)\n- **AP2**: Add item (3/s)\n",
    "lines": "Load order (5/s)\nAdd item (3/s)\n",
    "in a fence": "Text\n\n```\n| Operation | Freq |\n|---|---|\n| Load order | 5/s |\n| Add item | 3/s |\n```\n",
    "Spanish": "| Operación | Frecuencia |\n|---|---|\n| Load order | 5/s |\n| Add item | 3/s |\n",
    "Portuguese": "| Padrão de acesso | Frequência |\n|---|---|\n| Load order | 5/s |\n| Add item | 3/s |\n",
    "Japanese": "| アクセスパターン | 頻度 |\n|---|---|\n| Load order | 5/s |\n| Add item | 3/s |\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_every_shape_of_table_is_found(text: str) -> None:
    read = read_patterns(text)
    assert [p.operation for p in read.project.patterns] == ORDERS
    assert [p.rate and p.rate.avg and p.rate.avg.text for p in read.project.patterns] == ["5/s", "3/s"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Just prose, with commas; and more.",
        "| # | Operation |\n|---|---|\n| 1 | [operation] |\n| 2 | <what it does> |\n| 3 | ... |\n| 4 | TBD |\n| | |\n",
        "| Command | Description |\n|---|---|\n| `run` | Run the analysis |\n",
        "| Key pattern | Type | TTL |\n|---|---|---|\n| `user:{id}` | hash | 30d |\n",
        "| Criterion | Embed | Reference |\n|---|---|---|\n| Frequency | low | high |\n",
        "### Design for access patterns, not entities\n\n1. List every read\n2. Shape documents\n\n1\n2\n3\n4\n",
        "if (a || b) { return c | d; }",
        "<table><tr><td>Operation</td></tr></table>",
    ],
)
def test_other_tables_and_templates_give_nothing(text: str) -> None:
    with pytest.raises(BadInput) as said:
        read_table(text)
    assert said.value.fix


def test_cells_keep_what_they_say() -> None:
    table = read_table(
        "| Access pattern | Key |\n|---|---|\n"
        "| Get user for **a** \\<id\\> | `PK`=“a\\|b”<br>SK begins_with `x` [docs](http://example.org) |\n"
    )
    [row] = table.rows
    assert row.operation == "Get user for a <id>"
    assert row.others == [("Key", 'PK="a|b"; SK begins_with x docs')]


def test_columns_without_a_role_become_notes_and_no_cell_is_lost() -> None:
    read = read_patterns(
        "Owner | Operation | Freq\n-- | -- | --\nAna | Load order | 5/s | extra | more\nBob | Add item\n"
    )
    notes = [p.note for p in read.project.patterns]
    assert notes[0] == "Owner: Ana; extra; more"
    assert notes[1] == "Owner: Bob"


def test_a_row_without_an_operation_continues_the_one_above() -> None:
    table = read_table("| Operation | Fields |\n|---|---|\n| Load order | order |\n| | items |\n")
    [row] = table.rows
    assert row.cells["fields"] == "order, items"


def test_a_first_column_without_header_names_the_entity() -> None:
    read = read_patterns(
        "| | Access pattern |\n|---|---|\n| User | Get by email |\n| | List newest |\n| Order | Create |\n"
    )
    assert [(p.action, p.entity) for p in read.project.patterns] == [
        ("get", "user"),
        ("list", "user"),
        ("insert", "order"),
    ]


def test_several_tables_are_one_and_a_row_told_twice_keeps_both_its_cells() -> None:
    read = read_patterns(
        "| Access pattern |\n|---|\n| Get user by email |\n| Create user |\n\nThen\n\n"
        "| Access pattern | Key |\n|---|---|\n| Get user by email | GSI1 |\n| Delete user | PK |\n"
    )
    assert [p.operation for p in read.project.patterns] == ["Get user by email", "Create user", "Delete user"]
    assert read.project.patterns[0].note == "Key: GSI1"


def test_the_text_around_is_kept_or_reported() -> None:
    table = TABLES["plain"]
    short = read_patterns(f"# Desk\n\nOrders of a shop.\n\n{table}\nDone.\n")
    assert short.project.name == "Desk"
    assert "Orders of a shop." in short.project.note
    assert "Done." in short.project.note
    prose = "\n".join(f"Line {n} of a long story." for n in range(200))
    long = read_patterns(f"{prose}\n\n{table}\nDone.\n")
    assert long.project.note == ""
    assert [u.line for u in long.unread] == [1, 207]
    assert long.unread[0].text.endswith("Line 199 of a long story.")


@pytest.mark.parametrize(
    ("headers", "roles"),
    [
        (
            ("#", "Operation", "Fields needed", "Freq", "Consistency"),
            ("id", "operation", "fields", "rate", "consistency"),
        ),
        (("Consistencia", "Frecuencia", "Operación", "Campos"), ("consistency", "rate", "operation", "fields")),
        (("Access pattern", "Operation", "Key"), ("operation", "store", "")),
        (("Pattern", "Description", "DynamoDB Operations"), ("id", "operation", "store")),
        (("Pattern #", "Description", "Peak RPS", "Average RPS", "Type"), ("id", "operation", "peak", "avg", "kind")),
        (
            ("番号", "操作", "必要なデータ", "頻度", "一貫性", "備考"),
            ("id", "operation", "fields", "rate", "consistency", "notes"),
        ),
        (("Method", "Endpoint", "Data Access Pattern"), ("store", "", "operation")),
        (("Operation", "Operation", "Freq"), ("operation", "store", "rate")),
    ],
)
def test_headers_name_roles(headers: tuple[str, ...], roles: tuple[str, ...]) -> None:
    assert roles_of(headers) == roles
    assert names_operations(headers)


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        ("RPS", "/s"),
        ("Freq (r/s)", "/s"),
        ("Rate per day", "/day"),
        ("Peak RPS", "/s"),
        ("calls/min", "/min"),
        ("Freq", ""),
    ],
)
def test_headers_give_bare_numbers_a_unit(header: str, unit: str) -> None:
    assert unit_of(header) == unit


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("orders", "order"), ("categories", "category"), ("boxes", "box"), ("addresses", "address"),
        ("people", "person"),
        ("status", "status"), ("news", "news"), ("buses", "bus"), ("analyses", "analysis"), ("quizzes", "quiz"),
        ("movies", "movie"), ("caches", "cache"), ("matches", "match"), ("houses", "house"), ("children", "child"),
        ("prices", "price"), ("purchases", "purchase"), ("gas", "gas"), ("id", "id"), ("invoices", "invoice"),
    ],
)  # fmt: skip
def test_english_singulars(plural: str, one: str) -> None:
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("pedidos", "pedido"), ("sesiones", "sesion"), ("autores", "autor"), ("clientes", "cliente"), ("veces", "vez"),
        ("etiquetas", "etiqueta"), ("lecturas", "lectura"), ("paises", "pais"), ("hoteles", "hotel"), ("mes", "mes"),
        ("posts", "post"),
    ],
)  # fmt: skip
def test_spanish_singulars(plural: str, one: str) -> None:
    assert singular_spanish(plural) == one
