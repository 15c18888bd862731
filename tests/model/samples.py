"""Projects made up for tests: the fixture, small ones from YAML, and generated ones."""

from pathlib import Path
from textwrap import dedent
from typing import Any

from hypothesis import strategies as st

from app.model.project import Project
from app.model.text import project_from_plain, read_yaml

FIXTURES = Path(__file__).parent / "fixtures"


def library() -> Project:
    return read_yaml((FIXTURES / "library.yaml").read_text(encoding="utf-8"))


def made(text: str) -> Project:
    """A project from the lists of a YAML text, without its head."""
    return read_yaml("keywright: 1\nname: Test\n" + dedent(text))


# ---------------------------------------------------------------- generated

FREE = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
"""Anything a person may type or paste."""
WORD = st.text("abcdefghijklmnopqrstuvwxyzñç_", min_size=1, max_size=8).filter(lambda w: w.strip("_"))
TITLE = FREE.filter(lambda t: t.strip() and len(t.split()) > 0)
COUNT = st.sampled_from(["10M", "2.5k", "~200", "unknown", "7", "1,500"])
SHARE = st.sampled_from(["8%", "0.3", "~50%"])
RATE = st.sampled_from(["500/s", "1 per 10 s", "90% of reads", "2k/day", "unknown"])
SPREAD = st.one_of(
    COUNT,
    st.sampled_from(["exactly 1", {"avg": "10", "p99": "80", "max": "none"}, {"avg": "~3"}, {"max": "5k"}]),
)
CHILDREN = st.one_of(SPREAD, st.just({"avg": "1", "growth": {"avg": "1/day"}, "parents": "20k"}))
SHARES = st.sampled_from(["even", "zipf 1.1", "top value 40%", {"NO": "60%", "on": "~3%"}])
NOTE = st.fixed_dictionaries({}, optional={"note": FREE})


def maybe(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def both(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda found: {k: v for part in found for k, v in part.items()})


@st.composite
def paths(draw: st.DrawFn) -> str:
    return f"{draw(WORD)}.{draw(WORD)}"


def unique(parts: st.SearchStrategy[dict[str, Any]], *keys: str, most: int = 4) -> st.SearchStrategy[list[Any]]:
    def name(part: dict[str, Any]) -> tuple[str, ...]:
        return tuple(" ".join(str(part.get(k, "")).split()) for k in keys)

    return st.lists(parts, max_size=most, unique_by=name)


FIELD = both(
    st.fixed_dictionaries({"name": WORD, "type": st.sampled_from(["string", "int32", "uuid[]", "vector(8)"])}),
    maybe(
        key=st.just("yes"), unique=st.booleans(), bytes=SPREAD.filter(lambda s: "k" not in str(s) and "M" not in str(s))
    ),
    maybe(distinct=COUNT, present=SHARE, items=SPREAD, values=SHARES),
    NOTE,
)
ENTITY = both(
    st.fixed_dictionaries({"name": WORD}),
    maybe(count=COUNT, growth=st.sampled_from(["2k/day", "3%/month"]), keep=st.just("30 days")),
    maybe(fields=unique(FIELD, "name"), inferred=st.dictionaries(FREE, FREE, max_size=2)),
    NOTE,
)
RELATIONSHIP = st.one_of(
    both(
        st.fixed_dictionaries({"parent": WORD, "child": WORD}),
        maybe(via=st.lists(WORD, max_size=2), children=CHILDREN),
        maybe(**{"children as": WORD, "on delete": st.just("cascade")}),
    ),
    st.fixed_dictionaries({"name": WORD, "from": WORD, "to": WORD}, optional={"out": SPREAD, "in": SPREAD}),
)
ALSO = both(
    st.fixed_dictionaries({"update": WORD}),
    maybe(where=paths().map(lambda p: f'"{p.split(".")[0]}".{p.split(".")[1]} = :x')),
)
PATTERN = both(
    st.fixed_dictionaries({"operation": TITLE}),
    st.one_of(
        st.dictionaries(st.sampled_from(["get", "list", "insert", "upsert"]), WORD, min_size=1, max_size=1),
        st.just({"list": ["one", "two"]}),
        st.just({"entity": "only"}),
        st.just({}),
    ),
    maybe(where=st.sampled_from(["a.b = :c", "a.b > 1 or c.d is null", "a.b = 'it''s  two'"])),
    maybe(
        needs=st.one_of(
            paths(),
            st.lists(st.one_of(paths(), st.fixed_dictionaries({"what": WORD}, optional={"limit": COUNT})), max_size=3),
        )
    ),
    maybe(
        rate=st.one_of(RATE, st.fixed_dictionaries({"peak": RATE})),
        limit=COUNT,
        skew=st.dictionaries(paths(), SHARES, max_size=2),
    ),
    maybe(
        set=st.dictionaries(
            paths(), st.one_of(FREE, st.lists(FREE, max_size=2), st.fixed_dictionaries({"push": FREE})), max_size=2
        )
    ),
    maybe(consistency=st.sampled_from(["strong", "eventual 5 min", {"a": "causal"}]), also=st.lists(ALSO, max_size=2)),
    maybe(text=FREE),
    NOTE,
)
KEY = st.sampled_from(["A#{a.b}", "{a.b|day}:{shard 4}", "ALL", "{{x}}{a.b|hash 7|tag}"])
KEYS = st.lists(st.sampled_from(["a.b", "a.c desc", "m = a.d|month hashed", "p = shard 8", "a.e[]"]), max_size=3)
COPY = st.one_of(paths(), st.fixed_dictionaries({"what": paths(), "refresh": st.just("async within 5 min")}))
INDEX = st.fixed_dictionaries({"keys": KEYS}, optional={"unique": st.just("yes")})
SETTING = st.recursive(
    FREE, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(FREE, inner, max_size=2), max_leaves=4
)
STRUCTURE = both(
    st.tuples(st.sampled_from(["collection", "table", "keys"]), TITLE).map(lambda pair: {pair[0]: pair[1]}),
    maybe(of=WORD, pk=KEY, sk=KEY, _id=st.one_of(KEYS, st.just("{a.b}:{a.c}")), fields=st.lists(WORD, max_size=2)),
    maybe(copy=st.lists(COPY, max_size=2), indexes=st.lists(INDEX, max_size=2)),
    maybe(options=st.dictionaries(FREE, SETTING, max_size=2)),
)
MODEL = both(
    st.fixed_dictionaries({"name": TITLE, "store": WORD}),
    maybe(
        structures=st.lists(STRUCTURE, max_size=3, unique_by=lambda s: " ".join(str(next(iter(s.values()))).split()))
    ),
    NOTE,
)
DECISION = st.fixed_dictionaries(
    {"finding": WORD, "at": FREE}, optional={"reason": FREE, "numbers": st.just({"a": "1"})}
)


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """Any project: names need not fit together."""
    data: dict[str, Any] = {"keywright": 1, "name": draw(TITLE)}
    data |= draw(maybe(horizon=st.just("2 years"), tenant=WORD, stores=st.lists(WORD, max_size=2)))
    data |= draw(maybe(traffic=st.just({"reads": "2k/s", "growth": "30%/year"})))
    data |= draw(maybe(entities=unique(ENTITY, "name"), patterns=unique(PATTERN, "operation")))
    data |= draw(maybe(models=unique(MODEL, "name", most=2), decisions=unique(DECISION, "finding", "at", most=2)))
    relationships = draw(st.lists(RELATIONSHIP, max_size=3))
    seen: dict[str, Any] = {}
    for r in relationships:
        seen.setdefault(r["name"] if "from" in r else f"{r.get('name') or r['parent']}-{r['child']}", r)
    data["relationships"] = list(seen.values())
    return project_from_plain(data)
