// The access-pattern table: moving about, rows, findings. One cell can be reached with Tab; arrows move from there.
"use strict"
{
  const grid = document.getElementById("patterns"), rowsBody = document.getElementById("rows")
  const isRow = row => row.dataset.place && !row.classList.contains("more") && !row.hidden
  const rows = () => [...rowsBody.rows].filter(isRow)
  const cells = row => [...row.cells].filter(cell => cell.hasAttribute("tabindex"))
  let at = { row: "", column: 0 }

  const current = () => {
    const row = document.getElementById(at.row) ?? rows()[0]
    return row && !row.hidden ? cells(row)[Math.min(at.column, cells(row).length - 1)] : null
  }
  const rove = () => {
    grid.querySelectorAll("[tabindex='0']").forEach(cell => { cell.tabIndex = -1 })
    const cell = current()
    if (cell) cell.tabIndex = 0
  }
  const go = (row, column, focus = true) => {
    const all = row && cells(row)
    if (!all?.length) return
    at = { row: row.id, column: Math.max(0, Math.min(column, all.length - 1)) }
    rove()
    if (focus) current().focus()
  }

  const edges = { Home: 0, End: 99 }
  const step = (cell, key, far) => {
    const row = cell.parentElement, all = rows(), i = all.indexOf(row), j = cells(row).indexOf(cell)
    if (key in edges) return go(far ? all[key === "Home" ? 0 : all.length - 1] : row, edges[key])
    const jump = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[key]
    if (jump && jump > 0 && i === all.length - 1) return document.getElementById("ghost")?.focus()
    if (jump) return go(all[far ? (jump < 0 ? 0 : all.length - 1) : Math.max(0, Math.min(i + jump, all.length - 1))], j)
    go(row, far ? edges[key === "ArrowLeft" ? "Home" : "End"] : j + (key === "ArrowLeft" ? -1 : 1))
  }

  // After a commit: Enter goes down, Tab to the next cell that can be edited, as in a spreadsheet.
  kw.editor.onMove((element, way) => {
    const cell = kw.editor.again(element) ?? element
    if (!cell.matches("#rows > tr > *") || cell.closest(".more")) return kw.editor.along(element, way)
    const row = cell.parentElement, all = rows(), i = all.indexOf(row), line = cells(row), j = line.indexOf(cell)
    if (way === "down" || way === "up") {
      const next = all[i + (way === "down" ? 1 : -1)]
      return next ? go(next, j) : way === "down" ? document.getElementById("ghost")?.focus() : cell.focus()
    }
    if (way === "stay") return go(row, j)
    const editable = line.filter(c => c.dataset.field)
    const next = editable[editable.indexOf(cell) + (way === "right" ? 1 : -1)]
    if (next) {
      go(row, line.indexOf(next))
      kw.editor.open(next)
    } else go(row, j)
  })

  // -------------------------------------------------------------- rows

  const details = async (row, wanted) => {
    const button = row.querySelector(".open"), more = document.getElementById(`m-${row.id}`)
    const open = wanted ?? !more
    if (open === !!more) return
    button.setAttribute("aria-expanded", String(open))
    row.classList.toggle("opened", open)
    if (more) return more.remove()
    const place = document.createElement("tr")
    place.id = `m-${row.id}`
    place.className = "more"
    place.dataset.row = row.id
    row.after(place)
    if (await kw.load(`${kw.base()}/rows/${row.id}`)) return
    place.remove()
    button.setAttribute("aria-expanded", "false")
    row.classList.remove("opened")
  }

  const part = (verb, row, extra = {}) => kw.act("POST", `${kw.base()}/parts/${verb}`, { place: row.dataset.place, ...extra })
  const near = row => {
    const all = rows(), i = all.indexOf(row)
    return (all[i + 1] ?? all[i - 1])?.id ?? ""
  }
  const actions = {
    delete: async row => {
      const next = near(row)
      if (!(await part("delete", row)).ok) return
      at.row = next
      rove()
      current()?.focus()
    },
    duplicate: row => part("duplicate", row),
    up: async row => { await part("move", row, { by: "-1" }); refocus() },
    down: async row => { await part("move", row, { by: "1" }); refocus() },
    below: async row => {
      const place = row.dataset.place
      if (!(await part("add", row, { place: "patterns", after: place })).ok) return
      const made = [...rows()].find(r => r.previousElementSibling?.closest("[data-place]")?.dataset.place === place)
      if (made) go(made, 0)
    },
  }
  const refocus = () => { rove(); current()?.focus() }

  grid.addEventListener("keydown", event => {
    const cell = event.target.closest("#rows > tr:not(.more) > [tabindex]")
    if (!cell || event.target !== cell) return
    const row = cell.parentElement, command = event.ctrlKey || event.metaKey
    const act = name => { event.preventDefault(); actions[name](row) }
    if (event.altKey && /^Arrow(Up|Down)$/.test(event.key)) return act(event.key === "ArrowUp" ? "up" : "down")
    if (event.altKey) return
    if (command && event.shiftKey && event.key.toLowerCase() === "d") return act("duplicate")
    if (command && event.key === "Backspace") return act("delete")
    if (command && event.key === "Enter") return act("below")
    if (/^(Arrow|Home|End|Page)/.test(event.key)) {
      event.preventDefault()
      return step(cell, event.key, command)
    }
    if (command) return
    if (event.key === " ") {
      event.preventDefault()
      details(row)
    } else if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault()
      cell.dataset.field ? kw.editor.open(cell, { select: event.key === "Enter" }) : details(row)
    } else if ((event.key === "Delete" || event.key === "Backspace") && cell.dataset.field) {
      event.preventDefault()
      if (cell.dataset.field !== "operation") kw.act("PATCH", `${kw.base()}/cell`, { place: row.dataset.place, field: cell.dataset.field, text: "", v: row.dataset.v })
    } else if (event.key.length === 1 && cell.dataset.field && event.key !== "?") {
      event.preventDefault()
      kw.editor.open(cell, { text: event.key })
    }
  })

  grid.addEventListener("mousedown", event => {
    const cell = event.target.closest("#rows > tr:not(.more) > [tabindex]")
    if (!cell || event.target.closest("button, input, a")) return
    // A second click on the chosen cell edits it; so does a tap.
    if (cell === document.activeElement && cell.dataset.field) {
      event.preventDefault()
      kw.editor.open(cell)
    } else go(cell.parentElement, cells(cell.parentElement).indexOf(cell), false)
  })
  grid.addEventListener("dblclick", event => {
    const cell = event.target.closest("#rows > tr:not(.more) > [data-field]")
    if (cell && !kw.editor.isOpen()) kw.editor.open(cell)
  })
  grid.addEventListener("click", event => {
    const open = event.target.closest(".open"), action = event.target.closest("[data-row-action]")
    if (open) details(open.closest("tr"))
    if (action) actions[action.dataset.rowAction](document.getElementById(action.closest("tr.more").dataset.row))
  })
  grid.addEventListener("focusin", event => {
    const cell = event.target.closest("#rows > tr:not(.more) > [tabindex]")
    if (cell) {
      at = { row: cell.parentElement.id, column: cells(cell.parentElement).indexOf(cell) }
      rove()
    }
  })
  addEventListener("htmx:after:swap", () => {
    const lost = document.activeElement === document.body
    rove()
    if (lost && grid.dataset.active) refocus()
  })
  grid.addEventListener("focusout", () => setTimeout(() => { grid.dataset.active = grid.contains(document.activeElement) || kw.editor.isOpen() ? "1" : "" }))

  // Columns at the left stay in sight only where the table is wider than its box.
  const box = grid.parentElement
  const widths = new ResizeObserver(() => box.classList.toggle("scrolls", box.scrollWidth > box.clientWidth + 1))
  widths.observe(box)
  widths.observe(grid)

  kw.grid = { rows, go, details, current }
  rove()
}
