"""Nouns: singular and plural, Spanish and Portuguese to English, and what kind of thing a noun names."""

from __future__ import annotations

import re
from functools import cache

from app.importers.reading.text import words_of

# Things with an identity that people keep in stores. A noun not listed here may be one too; listed ones need no parent.
ENTITIES = words_of(
    """
    account address agent alert album answer appointment article artist asset author badge ballot bank basket bid
    bill board book booking branch brand bucket buyer call campaign candidate card cart category channel chat city
    claim class client comment company competitor contact contract conversation country coupon course credential
    customer dashboard deal delivery department device discount doctor document domain driver email employee
    enrollment event exam exercise experiment expense facility favorite feed file flight folder follow follower
    follow friend friendship game genre gift group guest hashtag host hotel house image incident ingredient
    invitation invite invoice issue job journey key label lead leaderboard lesson library license like link listing
    loan log machine manager meal measurement medium meeting member membership menu merchant message meter
    metric migration milestone model movie notification offer order organization organisation owner page park
    partner passenger patient payment payout permission person pet phone photo place plan player playlist podcast
    policy poll portfolio post prescription presence product profile project promotion provider purchase question
    queue quiz quote race reading receipt recipe reaction record refund region registration release rental report
    reply request reservation resource restaurant return review reviewer ride role room route rule sale sample
    schedule school score screen season seat segment seller sender sensor series server service session setting
    shift shipment shop show site skill song source stall station store story student subscriber subscription
    supplier survey table tag task teacher team template tenant test thread ticket token tournament track trade
    transaction transfer trip tweet unit user variant vehicle vendor venue video viewer visit visitor vote voucher
    wallet warehouse webhook widget wishlist worker workflow workspace zone car bus truck warehouse recipient
    receiver assignee creator editor reporter approver moderator borrower lender landlord participant attendee
    reader writer speaker organizer administrator admin contributor follower watcher courier rider passenger clinic
    nurse click impression view download install heartbeat datapoint observation trace span error exception crash
    play listen sighting topic category subcategory store warehouse shelf parcel package inventory preference
    consent draft note rating enrollment
    """
)

# A part of something: takes its parent's name (`order_item`).
PARTS = words_of(
    """
    item line entry detail row part element step option position component section field cell slot version revision
    line_item
    """
)

# People and parties. Beside a `user` entity they are roles of it.
ROLES = words_of(
    """
    assignee approver attendee author borrower buyer contributor creator editor follower lender manager moderator
    organizer owner participant receiver recipient reporter reviewer seller sender speaker viewer watcher writer
    commenter requester
    """
)

# Words that people group by where many belong to many.
LABELS = words_of("tag label hashtag topic genre skill ingredient keyword")

# Things recorded at a time, belonging to one source; known by source and time.
SERIES = words_of("reading measurement metric sample datapoint observation heartbeat temperature_reading")
SOURCES = words_of("sensor device meter machine thermostat gauge station probe host vehicle server")

# Beside a person, not a thing of its own: `user profile`, `customer account`.
FACETS = frozenset(["profile", "account"])

# Things that follow from another: an order has a payment, not a payment an order.
DEPENDENT = words_of("payment invoice shipment receipt delivery refund review answer reply attachment")
# What a person does to a thing; without that person it says nothing.
DEEDS = words_of("like follow vote bookmark favorite reaction rating")

# A name for what a screen or answer shows, not for a thing that is kept.
SCREENS = words_of(
    """
    page screen view detail info information data summary record header overview object panel row dashboard
    """
)

# Spanish and Portuguese nouns, singular, without accents.
TRANSLATED = {
    "actividad": "activity", "alerta": "alert", "alumno": "student", "amigo": "friend", "archivo": "file",
    "articulo": "article", "autor": "author", "autora": "author", "avatar": "avatar", "asiento": "seat",
    "calificacion": "rating", "canal": "channel", "cancion": "song", "cantidad": "quantity", "carpeta": "folder",
    "carrito": "cart", "carrinho": "cart", "categoria": "category", "ciudad": "city", "cidade": "city",
    "cita": "appointment", "cliente": "customer", "codigo": "code", "comentario": "comment", "compra": "purchase",
    "comprador": "buyer", "compania": "company", "consulta": "query", "contador": "counter", "contenido": "content",
    "contrasena": "password", "conversacion": "conversation", "correo": "email", "cuenta": "account",
    "conta": "account", "cuerpo": "body", "data": "date", "curso": "course", "dato": "data",
    "descripcion": "description", "direccion": "address", "dispositivo": "device", "documento": "document",
    "empleado": "employee", "empresa": "company", "encuesta": "survey", "entrada": "entry", "envio": "shipment",
    "equipo": "team", "escritura": "write", "estado": "status", "estudiante": "student", "etiqueta": "tag",
    "evento": "event", "factura": "invoice", "fecha": "date", "foto": "photo", "grupo": "group",
    "habitacion": "room", "historial": "history", "hora": "time", "hotel": "hotel", "idioma": "language",
    "imagen": "image", "importe": "amount", "inventario": "inventory", "invitacion": "invitation",
    "jugador": "player", "juego": "game", "jogo": "game", "jogador": "player", "lectura": "reading",
    "libro": "book", "livro": "book", "linea": "line", "lista": "list", "listado": "list", "maquina": "machine",
    "mascota": "pet", "medico": "doctor", "mensaje": "message", "mensagem": "message", "metrica": "metric",
    "miembro": "member", "medicion": "measurement", "nombre": "name", "nome": "name", "nota": "note",
    "noticia": "article", "notificacion": "notification", "notificacao": "notification", "numero": "number",
    "oferta": "offer", "orden": "order", "organizacion": "organization", "paciente": "patient", "pagina": "page",
    "pago": "payment", "pagamento": "payment", "pais": "country", "partida": "game", "partido": "match",
    "pasajero": "passenger", "pedido": "order", "pelicula": "movie", "perfil": "profile", "permiso": "permission",
    "persona": "person", "plato": "dish", "precio": "price", "preco": "price", "pregunta": "question",
    "producto": "product", "produto": "product", "propietario": "owner", "proveedor": "supplier",
    "proyecto": "project", "projeto": "project", "puntuacion": "score", "puntaje": "score", "punto": "point",
    "puntos": "points", "reserva": "reservation", "resena": "review", "respuesta": "answer", "resumen": "summary",
    "restaurante": "restaurant", "rol": "role", "sala": "room", "sensor": "sensor", "seguidor": "follower",
    "sesion": "session", "sessao": "session", "suscripcion": "subscription", "tamano": "size", "tarea": "task",
    "tarefa": "task", "tarjeta": "card", "telefono": "phone", "temperatura": "temperature", "texto": "text",
    "tienda": "store", "loja": "store", "tiempo": "time", "tipo": "type", "titulo": "title",
    "transaccion": "transaction", "ubicacion": "location", "usuario": "user", "usuaria": "user", "valor": "value",
    "valoracion": "rating", "vehiculo": "vehicle", "vendedor": "seller", "vendedora": "seller", "venta": "sale",
    "viaje": "trip", "vista": "view", "voto": "vote", "articulos": "article", "elemento": "item", "renglon": "line",
    "medida": "measurement", "registro": "record", "almacen": "warehouse", "humedad": "humidity", "dia": "day",
    "mes": "month", "ano": "year", "semana": "week", "palabra": "keyword", "clave": "keyword", "cupon": "coupon",
    "descuento": "discount", "conductor": "driver", "destinatario": "recipient", "remitente": "sender",
    "agente": "agent", "inquilino": "tenant", "marca": "brand", "modelo": "model", "ranking": "leaderboard",
    "clasificacion": "leaderboard", "publicacion": "post", "entrega": "delivery",
}  # fmt: skip

_IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "data": "data", "media": "media",
    "indices": "index", "indexes": "index", "vertices": "vertex", "matrices": "matrix", "criteria": "criterion",
    "analyses": "analysis", "crises": "crisis", "diagnoses": "diagnosis", "theses": "thesis", "mice": "mouse",
    "geese": "goose", "feet": "foot", "teeth": "tooth", "lives": "life", "wives": "wife", "knives": "knife",
    "leaves": "leaf", "shelves": "shelf", "halves": "half", "quizzes": "quiz", "buses": "bus", "movies": "movie",
    "cookies": "cookie", "heroes": "hero", "photos": "photo", "shoes": "shoe", "caches": "cache",
    "statuses": "status", "aliases": "alias", "lenses": "lens", "campuses": "campus", "bonuses": "bonus",
    "canvases": "canvas", "viruses": "virus", "ties": "tie", "axes": "axis", "species": "species",
    "selfies": "selfie", "zombies": "zombie", "moves": "move", "archives": "archive", "drives": "drive",
}  # fmt: skip
_SAME = words_of(
    """
    news series species sms gps dns aws css https saas iaas always has chassis corps means bias atlas canvas alias
    lens kubernetes bytes details statistics stats analytics logistics
    """
)


@cache
def singular(word: str) -> str:
    """The singular of an English noun (`boxes` box, `categories` category, `status` status)."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 and word not in {"ids", "ads"}:
        return word
    if word in _SAME or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-1] if word.endswith("zes") and not word.endswith("zzes") else word[:-2]
    return word[:-1]


@cache
def singular_spanish(word: str) -> str:
    """The singular of a Spanish noun without accents (`pedidos` pedido, `sesiones` sesion, `veces` vez)."""
    if len(word) < 4 or not word.endswith("s") or word in TRANSLATED:
        return word
    for one in (word[:-1], word[:-2]):
        if one in TRANSLATED:
            return one
    if word.endswith("ces"):
        return word[:-3] + "z"
    return word[:-2] if re.search(r"[lrndj]es$", word) else word[:-1]


def base(word: str, *, spanish: bool) -> tuple[str, bool]:
    """The English singular of a word and whether it was a plural."""
    if spanish:
        one = singular_spanish(word)
        if one in TRANSLATED:
            return TRANSLATED[one], one != word
        if word in TRANSLATED:
            return TRANSLATED[word], False
    one = singular(word)
    if spanish and one not in ENTITIES and one not in PARTS and not _looks_english(one):
        one = singular_spanish(word)
    return one, one != word


def _looks_english(word: str) -> bool:
    return word in ENTITIES or word in ROLES or word in LABELS or word in SERIES


def is_entity_word(word: str) -> bool:
    """Whether a noun usually names a thing with an identity."""
    return word in ENTITIES or word in ROLES or word in LABELS or word in SERIES
