"""From pattern and candidate model to plan: which keys and indexes serve it, what is read and written.

Generic: a store is known only through the dialect handed in with its records. Pure: equal arguments give
equal plans.

Reads, in the order in which a reader may follow them: `types` (the vocabulary); one read over one path: `bind`,
`match`, `order`, `refuse`, `numbers`, `flow`, `asked`, `estimate`, `grade`, `serve`; the best path: `choose`, `unite`;
one record that gives everything: `known`, `cover`, `quick`; several steps: `steps`, `enter`, `coalesce`, `search`;
traversals: `walk`, `traverse`; what is said: `ideal`, `reasons`, `explain`, `tell`; the way in: `read`.
"""
