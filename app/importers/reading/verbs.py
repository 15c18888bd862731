"""What the first words of an operation ask for."""

from __future__ import annotations

from app.importers.reading.text import words_of

# Actions in the order in which a verb listed twice is tried. `ask` marks verbs that may mean more than one thing.
_ENGLISH = {
    "get": """
        get|load|read|show|view|open|fetch|display|see|retrieve|look up|lookup|find|check|verify|authenticate|validate|
        query|access|return|select|inspect|preview|download|log in|login|sign in|resolve|scan|visit|lookup of|find one|
        point read|peek|render|reload
        """,
    "list": "list|browse|enumerate|list all|page through|scroll|scroll through|export|find all|get all|fetch all|poll",
    "count": "count|count all|tally|number of|how many|get number of|get count of|count of|total number of",
    "aggregate": """
        aggregate|sum|total|average|compute|calculate|report|summarize|summarise|rank|statistics of|statistics|
        aggregate query count|sum up|roll up
        """,
    "search": """
        search|search for|full text search|full-text search|autocomplete|text search|suggest|search in|search through|
        type ahead
        """,
    "insert": """
        add|insert|create|place|publish|post|register|sign up|record|log|submit|send|write|track|enqueue|queue|push|
        upload|comment|comment on|follow|like|new|reserve|book|start|append|open new|capture|ingest|emit|raise|file|
        issue|generate|join|invite|make|schedule|react to|reply to|checkout|check out|order|buy|subscribe to|bookmark|
        enroll|enrol|register new|store new|vote for|vote on|rate|review|share|report new|import|upvote|favorite
        """,
    "upsert": """
        upsert|save|store|set|put|create or update|create/update|insert or update|add or update|update or create|
        put or update|refresh|cache|add or replace|heartbeat|sync|merge
        """,
    "update": """
        update|change|edit|rename|mark|modify|increment|decrement|increase|decrease|cancel|approve|reject|assign|
        reassign|close|move|complete|ship|confirm|archive|toggle|upgrade|downgrade|reset|extend|adjust|activate|
        deactivate|enable|disable|lock|unlock|touch|mark as|promote|pay|renew|bump|resolve ticket|reopen|publish draft|
        suspend|block|unblock|accept|decline|patch|replace|restore|finish|end|withdraw|deposit|credit|debit|transfer
        """,
    "delete": """
        delete|remove|clear|purge|drop|expire|unfollow|unlike|logout|log out|empty|discard|revoke|unsubscribe|leave|
        delete all|remove all|clear all|unassign|detach|invalidate
        """,
}

_SPANISH = {
    "get": """
        leer|ver|mostrar|cargar|obtener|consultar|abrir|traer|visualizar|recuperar|verificar|autenticar|validar|
        iniciar sesion|encontrar|lectura de|detalle de|detalles de|carga de|consulta de|visualizacion de|ler|carregar|
        obter|exibir|acceder a
        """,
    "list": """
        listar|listado de|lista de|enumerar|explorar|ver todos|ver todas|mostrar todos|mostrar todas|obtener todos|
        obtener todas|historial de|feed de|todos los|todas las
        """,
    "count": "contar|numero de|cuantos|cuantas|cantidad de|conteo de|contador de",
    "aggregate": "sumar|calcular|total de|promediar|agregar datos de|resumir|resumen de|estadisticas de|"
    "promedio de|suma de|media de",
    "search": "buscar|busqueda de|busqueda|pesquisar|busca de",
    "insert": """
        anadir|agregar|insertar|crear|publicar|registrar|enviar|comentar|nuevo|nueva|alta de|subir|hacer|realizar|
        creacion de|registro de|escribir|adicionar|inserir|criar|colocar|encolar|reservar|iniciar|seguir|comprar|
        publicacion de|envio de|dar me gusta a|dar like a|grabar|emitir|generar|programar|postear
        """,
    "upsert": "guardar|crear o actualizar|agregar o actualizar|insertar o actualizar|salvar|poner|fijar",
    "update": """
        actualizar|cambiar|editar|renombrar|modificar|marcar|cancelar|aprobar|asignar|cerrar|incrementar|decrementar|
        mover|completar|confirmar|archivar|actualizacion de|cambio de|edicion de|aumentar|reducir|pagar|renovar|
        atualizar|alterar|activar|desactivar|marcar como|rechazar
        """,
    "delete": """
        eliminar|borrar|quitar|vaciar|expirar|baja de|eliminacion de|borrado de|dejar de seguir|remover|excluir|
        limpiar|cerrar sesion
        """,
}

# Last words of an operation without a verb: `order history`, `product search`, `user registration`.
_NOMINAL = {
    "get": "page detail details lookup retrieval read profile view screen login authentication info load fetch card",
    "list": "list listing listings history feed timeline catalog catalogue browse overview index dashboard inbox queue",
    "search": "search autocomplete suggestions typeahead",
    "count": "count counter total-count counts",
    "aggregate": "statistics stats summary report totals analytics aggregation average metrics-report",
    "insert": "creation insert registration signup submission placement upload checkout ingestion publication",
    "update": "update edit change modification renewal adjustment cancellation approval",
    "delete": "deletion removal delete cleanup expiry",
}


def _spread(table: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for action, verbs in table.items():
        for verb in " ".join(verbs.split()).split("|"):
            if verb.strip():
                found.setdefault(verb.strip(), action)
    return found


ENGLISH = _spread(_ENGLISH)
SPANISH = {**_spread(_SPANISH)}
NOMINAL = {word: action for action, words in _NOMINAL.items() for word in words.split()}

# The verb alone names what is written: `Comment`, `Like a post`, `Follow user`.
NAMING = {
    "comment": "comment", "comment on": "comment", "like": "like", "follow": "follow", "comentar": "comment",
    "seguir": "follow", "dar me gusta a": "like", "dar like a": "like", "checkout": "order", "check out": "order",
    "react to": "reaction", "reply to": "reply", "vote for": "vote", "vote on": "vote", "heartbeat": "presence",
    "unfollow": "follow", "unlike": "like", "dejar de seguir": "follow", "order": "order", "buy": "order",
    "comprar": "order", "subscribe to": "subscription", "unsubscribe": "subscription", "bookmark": "bookmark",
    "upvote": "vote", "rate": "rating", "review": "review", "favorite": "favorite", "sign up": "user",
    "log in": "user", "login": "user", "sign in": "user", "iniciar sesion": "user", "logout": "session",
    "log out": "session", "cerrar sesion": "session", "enroll": "enrollment", "enrol": "enrollment",
    "book": "booking", "reservar": "reservation", "reserve": "reservation",
}  # fmt: skip

# Of these, the ones that are done to something: `Like a post` writes a like of that post.
TOWARDS = frozenset(
    """
    comment|comment on|like|follow|comentar|seguir|dar me gusta a|dar like a|react to|reply to|vote for|vote on|
    unfollow|unlike|dejar de seguir|subscribe to|bookmark|upvote|enroll|enrol|rate|review|favorite|buy|comprar|order
    """.replace("\n    ", "").split("|")
)

# What a verb sets: `Cancel order` makes the status `cancelled`.
STATES = {
    "cancel": "cancelled", "approve": "approved", "reject": "rejected", "close": "closed", "complete": "completed",
    "ship": "shipped", "confirm": "confirmed", "archive": "archived", "activate": "active",
    "deactivate": "inactive", "lock": "locked", "unlock": "unlocked", "reopen": "open", "suspend": "suspended",
    "accept": "accepted", "decline": "declined", "finish": "finished", "pay": "paid", "cancelar": "cancelled",
    "aprobar": "approved", "cerrar": "closed", "completar": "completed", "confirmar": "confirmed",
    "archivar": "archived", "pagar": "paid", "rechazar": "rejected", "activar": "active", "desactivar": "inactive",
    "block": "blocked", "unblock": "active", "enable": "enabled", "disable": "disabled",
}  # fmt: skip
RENAMES = frozenset({"rename", "renombrar"})
STEPS = {
    "increment": "+1", "increase": "+1", "decrement": "-1", "decrease": "-1", "incrementar": "+1", "aumentar": "+1",
    "decrementar": "-1", "reducir": "-1", "bump": "+1", "deposit": "+1", "credit": "+1", "withdraw": "-1",
    "debit": "-1",
}  # fmt: skip

# Calls to a store or HTTP methods that tell a read from a write.
READ_CALLS = words_of(
    """
    getitem query scan batchgetitem get select find findone aggregate zrange hgetall transactgetitems
    """
)
WRITE_CALLS = words_of(
    """
    putitem updateitem deleteitem batchwriteitem transactwriteitems post put patch delete insert update set incr
    insertone updateone deleteone zadd lpush hset
    """
)
