"""Hash slots: which part of a key decides where it lies, and how to give two families the same one."""

from __future__ import annotations

from app.model.keys import Template, parse_template
from app.plan.types import Record


def slotted(record: Record) -> bool:
    """Is it placed by a hash of its key or of a tag, and must what is written together share that place?"""
    return bool(record.primary.placed_by) and record.dialect.writing.across == "slot"


def placing_attrs(record: Record) -> tuple[str, ...]:
    """What the place follows from: attributes, or the text where there are none."""
    parts = record.primary.placed_by
    return tuple(p.attr for p in parts if p.attr) or tuple(p.literal for p in parts)


def tagged(name: str, attr: str, *, anew: bool = False) -> str:
    """The same key with this attribute as its tag: `q:{job.queue}` → `q:{job.queue|tag}`; added where it is missing.

    `anew`: in place of the tag there is.
    """
    try:
        template = parse_template(name)
    except ValueError:
        return name
    text = _without_literal_tag(template) if anew else template.text
    text = text.replace("|tag}", "}") if anew else text
    if f"{{{attr}}}" in text:
        return text.replace(f"{{{attr}}}", f"{{{attr}|tag}}", 1)
    return f"{text}:{{{attr}|tag}}"


def literal_tag(template: Template) -> str:
    """Text between braces of the stored key: `{{all}}:q` → `all`; empty where there is none."""
    for part in template.parts:
        start = part.literal.find("{")
        end = part.literal.find("}", start + 1)
        if start >= 0 and end > start + 1:
            return part.literal[start + 1 : end]
    return ""


def _without_literal_tag(template: Template) -> str:
    text = template.text
    word = literal_tag(template)
    return text.replace(f"{{{{{word}}}}}:", "").replace(f"{{{{{word}}}}}", word) if word else text
