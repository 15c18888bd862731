"""Does a model work? Runs it on a real engine: structures, generated data, every pattern, the engine's own evidence.

The door is `app.proof.run`: `prove(…) -> Proof`, `engines()`. Inside, in the order of a proof:

- `generate`, `values`, `data`: logical rows from the project's own numbers at a scale; `scale` the project at that
  size, whose plans can be compared with what the engine does.
- `build`: stored records of each structure (`Stored`, a tree of `Node` beside the shape of its kind of record).
- `expected`, `conditions`, `formula`: what a read must return; `change`: what a write must leave behind.
- `measure`, `check`, `card`: many runs, are the records right, does the work agree with the plan.
- `prove`: all of it in a fresh namespace that is dropped whatever happens.

**An adapter** is one module in `app.proof.engines` named after its store that defines `ENGINE`; adding the file is
enough. The interface is `app.proof.engines.engine`, in short:

- `Engine`: `store`, `title`, `modules` (drivers, imported inside functions only), `example` (a URL), `time_uuid` (6,
  or 1 where the engine sorts version 1 by time), `open(url) -> Server`, `key_of(stored, world)`: what a record is
  stored under; two rows with one key would overwrite each other.
- `Server`: `engine`, `version`, `create(name) -> Space` (raises `ProofError` where it exists), `close()`.
- `Space`: `build(job, files)` runs the emitted script; `load(kind, stored)`; `ready()`; `run(question) -> Answer`
  runs the emitted text of one pattern with values; `key(stored)`, `look(kind, stored)` reads records back as `Node`s;
  `restore(kind, before, after)` undoes a write; `drop()` removes the namespace and nothing else.

`Question.values` hold what the pattern's parameters are; everything else a text names (a field of a new record, a
copied name, the key of a bucket) is found in `Question.made`, `put` and `before`; a name that means nothing is a
`Refusal`. What the text leaves to the application (a request per bucket, once for each row of step 1, merging) the
adapter does; trimming by conditions the engine does not judge, and sorting merged answers, does `check`. A record
that comes back is a `Seen`: its kind and a `Node` of the attributes that were visible (`kids` for what lies inside);
a bucket's elements come one by one. Values are Python's own: `UUID`, aware `datetime`, `Decimal`, `Long` for 64 bits,
`Oid`, (longitude, latitude) for a point. `Evidence` is one request: the engine's plan in short, examined, returned,
units, whether it scanned or sorted.
"""
