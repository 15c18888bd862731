"""What a column holds, by its header: in English, Spanish, Portuguese and Japanese, in any order."""

from __future__ import annotations

import re
import unicodedata

ALIASES: dict[str, tuple[str, ...]] = {
    "pattern": (
        "access pattern", "access patterns", "data access pattern", "data access patterns",
        "query pattern", "query patterns", "use case", "use cases", "user story", "patron de acceso",
        "patrones de acceso", "caso de uso", "casos de uso", "patron de consulta",
        "padrao de acesso", "padroes de acesso", "アクセスパターン", "ユースケース",
    ),
    "operation": (
        "operation", "operations", "operacion", "operaciones", "operacao", "operacoes", "操作",
        "query", "queries", "consulta", "consultas", "クエリ", "処理", "action", "accion", "acao",
        "request", "requests", "task", "feature", "funcionalidad", "what the app does", "question",
    ),
    "description": (
        "description", "descripcion", "descricao", "説明", "patron que resuelve", "name", "nombre",
        "nome", "pattern", "patron", "padrao",
    ),
    "id": (
        "#", "no", "nr", "num", "number", "numero", "id", "n", "pattern #", "pattern id", "pattern no",
        "pattern number", "ap", "ap #", "ap id", "ap no", "番号", "項番", "row", "fila",
    ),
    "fields": (
        "fields needed", "fields", "field", "needed fields", "required fields", "fields returned",
        "fields required", "data needed", "data", "data required", "data returned", "needs",
        "returns", "output", "response", "columns", "attributes", "attributes needed",
        "key attributes", "campos", "campos necesarios", "campos requeridos", "datos",
        "datos necesarios", "datos requeridos", "atributos", "campos necessarios", "dados",
        "dados necessarios", "必要なフィールド", "必要なデータ", "必要項目", "フィールド", "データ", "項目", "属性",
        "what it needs", "payload",
    ),
    "rate": (
        "freq", "frequency", "rate", "rates", "throughput", "load", "volume", "traffic", "how often",
        "rps", "qps", "tps", "ops", "r/s", "w/s", "req/s", "calls", "calls/s", "ops/s", "reads/s",
        "writes/s", "requests/s", "requests per second", "per second", "frecuencia", "frec", "tasa",
        "carga", "volumen", "trafico", "frequencia", "taxa", "頻度", "レート", "expected rate",
        "estimated rps", "expected rps", "expected load", "request rate",
    ),
    "peak": (
        "peak", "peak rps", "peak qps", "peak rate", "peak load", "max rps", "maximum rps", "burst",
        "pico", "rps pico", "carga pico", "tasa pico", "ピーク", "ピーク時",
    ),
    "avg": (
        "average rps", "avg rps", "average", "avg", "average rate", "average qps", "sustained rps",
        "sustained", "mean rps", "promedio", "rps promedio", "rps medio", "media", "平均",
    ),
    "consistency": (
        "consistency", "consistency needs", "consistency level", "consistency model", "freshness",
        "staleness", "max staleness", "consistencia", "一貫性", "整合性", "frescura",
    ),
    "kind": (
        "type", "read/write", "r/w", "rw", "read or write", "access type", "operation type", "kind",
        "tipo", "lectura/escritura", "leitura/escrita", "tipo de acceso", "種別", "タイプ", "種類", "読み書き",
    ),
    "store": (
        "dynamodb operation", "dynamodb operations", "dynamodb api", "api", "command", "commands",
        "store operation", "method", "http method", "comando",
    ),
    "latency": (
        "latency", "latency sla", "latency target", "latencia", "p99", "p99 latency", "sla",
        "レイテンシ", "レイテンシー", "遅延",
    ),
    "order": (
        "sort", "sorting", "order", "order by", "sort by", "sorted by", "orden", "ordenado por",
        "ordem", "並び順", "ソート",
    ),
    "limit": ("limit", "page size", "limite", "件数"),
    "entity": ("entity", "entidad", "entidade", "エンティティ", "resource", "recurso"),
    "notes": (
        "notes", "note", "remarks", "remark", "comments", "comment", "notas", "nota",
        "observaciones", "observacoes", "comentarios", "備考", "メモ",
    ),
}  # fmt: skip

ROLE_OF = {alias: role for role, aliases in ALIASES.items() for alias in aliases}
SUPPORT = {"fields", "rate", "peak", "avg", "consistency", "kind"}

_TRAILING = re.compile(r"\s*[(\[（].*?[)\]）]\s*$")
_PER = re.compile(
    r"(?:^|[\s(\[（]|(?<=\w)(?=/))"
    r"(r/s|w/s|rps|qps|tps|req/s|ops/s|/s|per second|por segundo|per day|por dia|/day|/min|per minute)[)\]）]?\s*$"
)
_INTRODUCTION = re.compile(
    r"(?<!\bfor )(?<!\bto )(?<!\bby )(?<!\bpara )(?:access patterns|query patterns|"
    r"data access patterns|queries to serve"
    r"|patr[óo]nes de (?:acceso|consulta)|padr[õo]es de acesso|アクセスパターン)[\w\s()*_`\d]{0,40}[:：.]?\W*$"
    r"|^\W*(?:operations|operaciones|operações|use cases|casos de uso)\W*$",
    re.IGNORECASE,
)


def bare(text: str) -> str:
    """Lower case without accents, marks and doubled spaces; Japanese stays as it is."""
    split = unicodedata.normalize("NFD", text.lower())
    plain = "".join(c for c in split if not ("\u0300" <= c <= "\u036f"))
    plain = unicodedata.normalize("NFC", plain)
    return " ".join(re.sub(r"[*_`\"'.:?¿!¡]+", " ", plain).split())


def role_of(header: str) -> str:
    """The role a header names, or nothing."""
    plain = bare(header)
    if plain in ROLE_OF:
        return ROLE_OF[plain]
    plain = _TRAILING.sub("", plain)
    if plain in ROLE_OF:
        return ROLE_OF[plain]
    words = set(re.split(r"[\s/]+", plain))
    if words & {"rps", "qps", "tps"}:
        if words & {"peak", "max", "pico", "maximum", "burst"}:
            return "peak"
        return "avg" if words & {"average", "avg", "sustained", "mean"} else "rate"
    if re.fullmatch(r"(dynamodb|mongodb|redis|cassandra|cql) (operations?|commands?|apis?)", plain):
        return "store"
    return ""


def unit_of(header: str) -> str:
    """The unit a header gives to the bare numbers below it: `/s`, `/min`, `/day`, or nothing."""
    found = _PER.search(bare(header))
    if not found:
        return "/s" if re.search(r"\b(rps|qps|tps)\b", bare(header)) else ""
    said = found[1]
    if "day" in said or "dia" in said:
        return "/day"
    return "/min" if "min" in said else "/s"


def roles_of(headers: tuple[str, ...]) -> tuple[str, ...]:
    """One role per column, each used once; the best name for an operation wins, the others give way.

    Beside an `Access pattern` column, `Operation` is the call to the store; beside a `Description`, `Pattern` is
    the row's id.
    """
    named = [role_of(h) for h in headers]
    chosen: dict[str, int] = {}
    for at, role in enumerate(named):
        chosen.setdefault(role, at)
    operation = next((chosen[r] for r in ("pattern", "operation", "description") if r in chosen), None)
    if operation is not None and named[operation] == "description":
        operation = _description(headers, named)
    out: list[str] = []
    for at, role in enumerate(named):
        if at == operation:
            out.append("operation")
        elif role in ("pattern", "operation", "description"):
            out.append(_beside(role, bare(headers[at]), taken="id" in chosen))
        else:
            out.append(role if role and chosen[role] == at else "")
    return tuple(out)


def _description(headers: tuple[str, ...], named: list[str]) -> int:
    """Of several vague headers the one that says `description`."""
    vague = [at for at, role in enumerate(named) if role == "description"]
    return next((at for at in vague if bare(headers[at]).startswith("descri") or headers[at] == "説明"), vague[0])


def _beside(role: str, header: str, *, taken: bool) -> str:
    if role == "operation":
        return "store"
    if header in ("pattern", "patron", "padrao") and not taken:
        return "id"
    return ""


def names_operations(headers: tuple[str, ...]) -> bool:
    """Whether these headers are those of an access-pattern table."""
    named = [role_of(h) for h in headers]
    if "pattern" in named:
        return True
    if "operation" in named or "description" in named:
        calls = any(role == "store" and "operation" in bare(h) for h, role in zip(headers, named, strict=True))
        return bool(SUPPORT & set(named)) or calls
    return False


def introduces_patterns(line: str) -> bool:
    """Whether a line announces a list of access patterns."""
    short = len(line.strip()) <= 120
    return short and bool(_INTRODUCTION.search(line))
