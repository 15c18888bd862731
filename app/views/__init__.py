"""Pages and their parts. `router` holds the routes of every page family; `app.main` mounts it.

How a page is made
------------------
* One module per page family (`app/views/entities.py`), listed in `app/views/routes.py`. One route function per page;
  synchronous `def`, so that the database may block. Names: module `entities`, function `show`, template
  `templates/entities/show.html`, test `tests/views/test_entities.py`.
* A page is a frozen dataclass derived from `app.views.page.ProjectPage` (inside a project: header, meters, undo,
  menu) or `StudioPage` (outside). It names its `template`, `here` (which link of the menu is marked) and `title`. The
  template sees it as `page` (`page.project`, `page.report`, your own fields and properties); a missing name is an
  error. `return render(Show(opened=opened, …))` from `app.templating`.
* A template extends `project.html` (or `base.html`) and fills `block main` with `<main id="main" class="page">`;
  scripts go into `block more_scripts`. Parts are `_name.html` with one root element that has an id.
* `open_project(request, id)` from `app.views.opened` gives `Opened`: `project` (the frozen value), `report` (plans,
  loads, findings; remembered), `beside` (findings by operation), `change_number`, `undo_label`, `redo_label`. It
  raises NotFound, which the studio shows as a page.
* Raise `app.errors`; never answer an error by hand. A page gets a page, htmx a message in the corner (`hx-partial`
  into `#toasts`), a script problem+json.

How things look
---------------
* `templates/_macros.html`: `icon sev lv bits gauge kt n edit`; `templates/workbench/_finding_macros.html`:
  `note` (a finding with its fixes, questions and Accept). Filters: `number size spread unit key plural`. In a project
  `page.row_id(operation)` is the id of a row of the workbench. Icons: `static/icons.svg` (the id is the name).
* `static/app.css` holds tokens, parts and the workbench; looks of other pages go to `static/pages.css`. No colour
  outside the tokens. Nothing inline: no `style=`, no `<script>` text, no `hx-on`, no `js:`; the security policy
  refuses them.
* Numbers are right-aligned (`num`), their unit stands in `.u`; inferred or assumed values carry `.guess` (≈).
* Every `section` is `class="sec"` with a `header` of an `h2` and one sentence that states the result.

How editing works
-----------------
* Anything a person can correct is `{{ edit(place, field, shown, text, label, why, hint) }}`: a button, also in tables
  (only the workbench has cells of its own). A click opens the one floating editor of `static/editor.js`, which sends
  `PATCH /p/{id}/cell` with
      place  where: `project`, `patterns/NAME`, `entities/NAME`, `relationships/NAME`, `models/NAME`,
             `models/NAME/STRUCTURE`, `models/NAME/STRUCTURE/INDEX` (of `indexes`, `gsi`, `lsi`, by name or `indexes.0`)
      field  which field of that part, in the words of the project file, dots lead inside: `rate.peak`, `children.p99`,
             `fields.status.distinct` (an entry of a list by its name or position), `shard key`, `indexes.0.keys`
      text   what was typed; empty removes the field. Lists are typed with commas, mappings as `key: value, key: value`
      v      the version of the stored row the text was typed over (`page.version(place)`, `data-v`): if somebody else
             changed the same cell since, the answer is 409 with both values; other cells of the row merge silently
  `app.views.editing.commit` reads the text through `app.model` (422 and a sentence if it cannot), stores the change
  and answers what changed. `app.views.editing.fields.text_of(project, place, field)` is the text the editor starts
  with.
* Adding, deleting, moving, duplicating a part: POST `/p/{id}/parts/add|delete|move|duplicate` with `place` (of what
  it happens to; for add the list, `entities`, or `models/NAME` for a structure), and for add `text` (a name or YAML).
* Answers are `<hx-partial hx-target="#id" hx-swap="outerMorph">` parts, put together by `app.views.answer`: header,
  undo, meters and live message always; the parts of the page on screen by its `here` (sent as `page`): the workbench
  answers rows, other pages say `<main id="main" class="page" data-page="entities" data-refresh="/p/1/entities">` and
  are fetched again and morphed after every change (give what has state or focus a stable id).
* What takes longer than a request runs in the background and is asked for by its number: `app.views.proofs` starts a
  proof in a thread, and the part that shows it is fetched with `hx-trigger="every 1s"` until it has ended.
* Own forms of a page: plain `method="post"` forms that answer 303 to a page work without any of this. With
  `data-send` the form is sent by `net.js` in the order of edits and its answer is handled as above.
"""

from __future__ import annotations
