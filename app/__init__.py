"""Keywright: design how data will live in a NoSQL store, from what the application asks of it.

Data flows one way. `importers` turn text into values of `model`: the workload and its
candidate models, frozen, with key templates and changes. `plan` says how a model serves each
access pattern; it is handed the dialect of a store and imports none. `stores` holds one entry
per store: facts with sources, what keys and indexes serve, record sizes, scripts. `forecast`
adds growth, heat and cost; each file of `rules` turns numbers into findings; `starters` builds
a first model. `analysis` is the only door: `analyse(project) -> Report`. `exporters` write
reports and projects as text; `proof` holds plans against real engines. None of these knows a
web framework, an ORM or a template engine. Above them, `storage` keeps every edit, `views` and
`api` answer requests, and `main` and `cli` are where it all meets the world.
"""
