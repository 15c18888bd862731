"""A rename rewrites every mention, and nothing else."""

import pytest

from app.model.edit import apply, diff, invert
from app.model.problem import Unreadable
from app.model.rename import (
    rename_entity,
    rename_field,
    rename_model,
    rename_pattern,
    rename_role,
    rename_structure,
)
from app.model.text import read_yaml, write_yaml
from tests.model.samples import library, made


def test_an_entity_takes_all_mentions_along() -> None:
    before = library()
    after = rename_entity(before, "loan", "lending")
    text = write_yaml(after)
    assert "loan." not in text
    assert "lending.reader_id = :reader and lending.status in ('out', 'lost')" in text
    assert "where: lending.id = :loan" in text  # a parameter keeps its name
    assert 'sk: "L#{lending.lent_at}#{lending.id}"' in text
    assert "consistency: {lending: read your writes, borrower.name: historical}" in text
    assert "text: loan, notes, borrower" in text  # what was pasted stays
    assert after.decisions[0].at == "models/Documents/loans"
    assert read_yaml(text) == after
    assert rename_entity(after, "lending", "loan") == before


def test_an_unnamed_role_follows_its_entity() -> None:
    after = rename_entity(library(), "book", "volume")
    assert after.relationships[1].role == "volume"
    assert [n.what for n in after.patterns[1].needs][-1] == "volume.title"


def test_a_field_is_renamed_along_roles_only() -> None:
    before = library()
    after = rename_field(before, "reader", "name", "full_name")
    assert after.patterns[0].needs[2].what == "borrower.full_name"
    assert after.models[0].structures[0].copied[0].what == "borrower.full_name"
    assert after.models[0].structures[0].copied[0].as_ == "borrower_name"
    assert after.patterns[1] is before.patterns[1]
    assert after.models[1] is before.models[1]
    key = rename_field(before, "loan", "reader_id", "borrower_id")
    assert key.relationships[0].via == ("borrower_id",)
    assert "R#{loan.borrower_id}" in write_yaml(key)
    assert key.models[0].structures[0].shard_key is not None
    assert key.models[0].structures[0].shard_key[0].plain() == "loan.borrower_id hashed"


def test_a_field_of_the_same_name_elsewhere_stays() -> None:
    after = rename_field(library(), "loan", "id", "number")
    text = write_yaml(after)
    assert "where: loan.number = :loan" in text
    assert "_id: reader.id" in text
    assert "order by: loan.lent_at desc, loan.number desc" in text


def test_fields_named_inside_their_entity() -> None:
    project = made("""
        entities:
          - name: ticket
            fields: [a uuid key, gone datetime, {name: sum, type: int32, computed: sum(ticket.a * ticket.a)}]
            unique: [[a, gone]]
            soft delete: gone
            inferred: {fields.gone: read from the words}
        """)
    after = rename_field(project, "ticket", "gone", "deleted_at").entities[0]
    assert after.soft_delete == "deleted_at"
    assert after.unique == (("a", "deleted_at"),)
    assert dict(after.inferred) == {"fields.deleted_at": "read from the words"}
    other = rename_field(project, "ticket", "a", "b").entities[0]
    assert other.fields[2].computed == "sum(ticket.b * ticket.b)"


def test_what_was_inferred_stays_inferred() -> None:
    project = made("""
        entities: [{name: user, fields: [id uuid key, name string]}, {name: order, fields: [user_id uuid]}]
        relationships: [{parent: user, child: order, via: user_id}]
        patterns:
          - {operation: A, get: order, needs: user.name, inferred: {needs.user.name: the words, rate: 5 a day}}
        """)
    after = rename_field(project, "user", "name", "full_name").patterns[0]
    assert dict(after.inferred) == {"needs.user.full_name": "the words", "rate": "5 a day"}
    again = rename_entity(project, "user", "person").patterns[0]
    assert dict(again.inferred) == {"needs.person.name": "the words", "rate": "5 a day"}


def test_a_role() -> None:
    after = rename_role(library(), "borrower-loan", "holder")
    assert after.patterns[0].needs[2].what == "holder.name"
    assert "holder.name" in dict(after.patterns[0].consistency)
    assert after.relationships[0].key == "holder-loan"


def test_names_that_decisions_were_made_at() -> None:
    project = library()
    assert rename_model(project, "Documents", "Docs").decisions[0].at == "models/Docs/loans"
    renamed = rename_structure(project, "Documents", "loans", "lendings")
    assert renamed.decisions[0].at == "models/Documents/lendings"
    assert renamed.models[0].serves["Loan page"].path == "lendings"
    assert rename_structure(project, "Documents", "readers", "people").models[0].structures[2].truth == "people"


def test_a_pattern() -> None:
    after = rename_pattern(library(), "Loan page", "One loan")
    assert list(after.models[0].serves) == ["One loan"]
    assert after.patterns[0].operation == "One loan"


def test_quoted_and_templated_mentions() -> None:
    project = made("""
        entities: [{name: group, fields: [id uuid key, from string]}]
        patterns: [{operation: A, get: group, where: "group.\\"from\\" = 'group.from' and group.id = :group"}]
        models:
          - name: M
            store: redis
            structures: [{keys: "group:{group.id|tag}", of: group, ttl: 5 min after group.from}]
        """)
    after = rename_entity(project, "group", "team-x")
    assert after.patterns[0].where is not None
    assert after.patterns[0].where.text == '"team-x".from = \'group.from\' and "team-x".id = :group'
    assert after.patterns[0].where.paths == ("team-x.from", "team-x.id")
    assert after.models[0].structures[0].name == "group:{team-x.id|tag}"


@pytest.mark.parametrize(
    ("rename", "words"),
    [
        (lambda p: rename_entity(p, "loan", "book"), "there already"),
        (lambda p: rename_entity(p, "none", "x"), "no entity 'none'"),
        (lambda p: rename_entity(p, "loan", "a b"), "Write a_b"),
        (lambda p: rename_field(p, "loan", "id", "status"), "there already"),
        (lambda p: rename_model(p, "none", "x"), "no model 'none'"),
        (lambda p: rename_pattern(p, "Lend", ""), "a name is missing"),
    ],
)
def test_refusals(rename, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Unreadable, match=words):
        rename(library())


def test_a_rename_is_undone_in_one_change() -> None:
    before = library()
    after = rename_entity(before, "loan", "lending")
    edits = diff(before, after)
    assert {e.kind for e in edits} == {"entity", "relationship", "access_pattern", "candidate_model"}
    assert apply(after, invert(edits)) == before
