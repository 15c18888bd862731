"""Editing: place + field + text becomes a recorded change. See `app.views` for the words.

`texts` reads and writes the text form of a value, `places` finds what a place names, `fields` sets one field,
`parts` adds, removes, moves and copies whole parts, `commit` stores the result.
"""

from app.views.editing.commit import Changed, commit, store
from app.views.editing.fields import set_field, text_of

__all__ = ["Changed", "commit", "set_field", "store", "text_of"]
