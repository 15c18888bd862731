"""Embed or reference: the bytes both move, and the number of children at which the advice flips.

Embedding pays for children that a read did not want and rewrites the whole record for each change of a child;
referencing pays one more request per read that wants them. All figures are bytes per second, so that stores can be
compared; the price of a further request is an assumption that can be replaced.
"""

from __future__ import annotations

from dataclasses import dataclass

REQUEST_BYTES = 4096.0
"""Assumed price of one further request, in bytes moved: about one page of a B-tree and the round trip."""


@dataclass(frozen=True, slots=True)
class EmbedOrReference:
    """Both sides at `children` per parent.

    `parent`, `child`: bytes. `together`: reads/s of a parent with all its children; `page`: reads/s of a parent with
    its first `page_size` children; `alone`: reads/s of the parent without them; `changes`: child writes/s.
    """

    parent: float
    child: float
    together: float
    page: float
    page_size: float
    alone: float
    changes: float
    request: float = REQUEST_BYTES

    def embed(self, children: float, met: float | None = None) -> float:
        """Bytes/s when children are embedded."""
        record = self.parent + children * self.child
        rewritten = self.parent + (children if met is None else met) * self.child
        return (self.together + self.page + self.alone) * record + self.changes * rewritten

    def reference(self, children: float) -> float:
        """Bytes/s when children stand by themselves."""
        reads = self.together * (self.parent + self.request + children * self.child)
        first = min(children, self.page_size)
        paged = self.page * (self.parent + self.request + first * self.child)
        return reads + paged + self.alone * self.parent + self.changes * self.child

    @property
    def flips_at(self) -> float | None:
        """Children per parent above which referencing moves fewer bytes; None: embedding always moves fewer.

        Solved above the page size first; below it the page saves nothing and the equation is simpler.
        """
        gain = self.together * self.request + self.page * self.request + self.changes * (self.child - self.parent)
        per_child = (self.alone + self.changes) * self.child
        if per_child > 0 and gain / per_child <= self.page_size:
            return max(0.0, gain / per_child)
        per_child += self.page * self.child
        if per_child <= 0:
            return None
        return max(0.0, (gain + self.page * self.page_size * self.child) / per_child)
