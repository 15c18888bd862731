"""Every project, edit and link, in SQLite or PostgreSQL.

`tables` says what is stored, `engine` how it is reached, `migrate` brings an older file up to date.
`projects` creates, loads, renames, copies and deletes; `edits` holds the one function that applies
a change; `history` undoes, redoes and lists changes; `snapshots` keeps named versions; `links`
hands out read-only views. All functions are synchronous and take the `Database` first.
"""
