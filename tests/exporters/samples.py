"""Reports to export: the gallery, a project whose every name is hostile, an empty one."""

from functools import lru_cache

from app.analysis import Report, analyse
from app.examples import EXAMPLES
from app.model.project import Project
from app.model.text import project_from_plain
from app.starters import starter
from app.stores import STORES

EVIL = 'a|b `c` <script>alert(1)</script> *x* _y_ [l](http://e) &lt;b&gt; ~~z~~ "q" $1'
LINE = "first\n\n# second\n\n- third\n| a | b |\n|---|---|\n```\nfence"


@lru_cache(maxsize=32)
def example(name: str) -> Report:
    return analyse(EXAMPLES[name].project())


def empty() -> Report:
    return analyse(Project(name="Nothing yet"))


@lru_cache(maxsize=1)
def hostile() -> Report:
    """User text that wants to be markup in every place that takes free text."""
    plain = {
        "keywright": "1",
        "name": EVIL,
        "note": LINE,
        "entities": [
            {
                "name": "user",
                "count": "1M",
                "note": EVIL,
                "fields": ["id uuid key", "name string avg 20", {"name": "age", "type": "int32", "note": LINE}],
            }
        ],
        "patterns": [
            {"operation": EVIL, "get": "user", "where": "user.id = :u", "rate": "5/s", "consistency note": EVIL},
            {"operation": LINE.replace("\n", " "), "list": "user", "where": "user.age > 3", "rate": "9/s"},
            {"operation": "=1+2", "text": "| <img src=x onerror=alert(1)> |"},
        ],
        "models": [],
        "decisions": [{"finding": "missing-count", "at": "entities/user", "reason": EVIL, "by": LINE, "date": EVIL}],
    }
    project = project_from_plain(plain)
    models = []
    for store in STORES:
        made = starter(project, store)
        models.append(made.model_copy(update={"name": f"{EVIL} {store}", "note": LINE}))
    return analyse(project.model_copy(update={"models": tuple(models)}))
