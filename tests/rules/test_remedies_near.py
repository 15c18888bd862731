"""What nearly gives a read is mended where it falls short: a copy refreshed sooner, a longer subset."""

from app.analysis import analyse
from app.model.project import Project
from app.model.text import read_yaml

TEXT = """
keywright: 1
name: Blog
entities:
  - {name: author, count: 50k, fields: [id uuid key, name string avg 20]}
  - {name: post, count: 1M, fields: [id uuid key, author_id uuid, title string avg 40]}
  - {name: comment, fields: [id uuid key, post_id uuid, at datetime, text string avg 200]}
relationships:
  - {parent: author, child: post, via: author_id, children: {avg: 20, p99: 400, max: 9k}}
  - {parent: post, child: comment, via: post_id, children: {avg: 10, p99: 80, max: 1500}}
patterns:
  - operation: Read post
    get: post
    where: post.id = :p
    needs: [post, author.name, {what: comment, order by: comment.at desc, limit: 20}]
    rate: 100/s
    consistency: {author.name: eventual 1 min, post: strong}
models:
  - name: Documents
    store: mongodb
    structures:
      - collection: posts
        of: post
        _id: post.id
        copy: [{what: author.name, refresh: async within 1 h}]
        embed: [{what: comment, as: newest, first: 10, order by: comment.at desc}]
"""


def fixed(text: str, rule: str) -> tuple[str, Project]:
    project = read_yaml(text)
    found = next(f for f in analyse(project).findings if f.rule == rule)
    fix = found.fixes[0]
    return fix.label, fix.apply(project)


def test_a_copy_that_is_too_old_is_refreshed_by_the_write() -> None:
    label, after = fixed(TEXT.replace("limit: 20", "limit: 10"), "copy-too-old")
    assert label == "Refresh author.name in posts by the same write"
    assert not [f for f in analyse(after).findings if f.rule in ("copy-too-old", "pattern-not-served")]


def test_a_subset_that_is_too_short_is_made_longer() -> None:
    label, after = fixed(TEXT.replace("async within 1 h", "same write"), "pattern-not-served")
    assert label == "Embed the first 20 comment in posts"
    assert analyse(after).models[0].plans["Read post"].served


def test_the_finding_names_every_reason() -> None:
    """The copy is too old, and the subset too short: both stand in the evidence, with what would help."""
    finding = next(f for f in analyse(read_yaml(TEXT)).findings if f.rule == "pattern-not-served")
    shown = " / ".join(e.value for e in finding.evidence)
    assert "author.name` in posts may be older" in shown
    assert "posts holds only some of `comment" in shown
    assert "Refresh author.name in posts sooner" in shown
