// The one floating editor. Opens over anything that has data-field inside something with data-place; the text typed is never
// lost: an error keeps it in the editor, a conflict offers both values, a lost connection keeps it in the outbox.
"use strict"
window.kw.editor = (() => {
  const box = document.createElement("div"), list = document.createElement("datalist"), say = document.createElement("div")
  box.className = "editor"
  box.hidden = true
  say.className = "say"
  say.id = "editor-say"
  list.id = "editor-options"
  document.body.append(box)
  let cell = null, input = null, start = "", move = () => {}

  const placeOf = element => element.closest("[data-place]").dataset.place
  const textOf = element => element.dataset.typed ?? element.dataset.text ?? (element.classList.contains("none") ? "" : element.textContent.trim())
  const keyOf = element => `${placeOf(element)} ${element.dataset.field}`
  // The element itself may have been replaced by an answer in the meantime.
  const again = element => element.isConnected ? element : [...document.querySelectorAll("[data-field]")].find(other => keyOf(other) === element.kwKey) ?? null

  // Cells of a table share what their column's header says.
  const about = (element, what) => {
    const column = element.matches("td, th") && document.querySelector(`#${element.closest("table").id} thead .${element.classList[0]}`)
    if (element.dataset[what] || !column) return element.dataset[what] ?? ""
    if (what !== "label") return column.dataset[what] ?? ""
    return `${column.dataset.label ?? column.textContent}, row ${element.parentElement.getAttribute("aria-rowindex") - 1}`
  }

  const open = (element, { text = null, select = true } = {}) => {
    if (cell) commit()
    if (document.body.dataset.readonly !== undefined) return
    cell = element
    cell.kwKey = keyOf(cell)
    start = element.dataset.text ?? (element.classList.contains("none") ? "" : element.textContent.trim())
    input = document.createElement("multi" in element.dataset ? "textarea" : "input")
    input.value = text ?? textOf(element)
    input.autocomplete = "off"
    input.spellcheck = false
    input.setAttribute("aria-label", about(element, "label") || element.dataset.field)
    input.setAttribute("aria-describedby", say.id)
    const options = about(element, "options")
    if (options) {
      list.replaceChildren(...options.split("|").map(value => new Option(value)))
      if (input.tagName === "INPUT") input.setAttribute("list", list.id)
    }
    hint(about(element, "hint"))
    box.replaceChildren(input, say, list)
    box.hidden = false
    ;(element.closest("dialog") ?? document.body).append(box)
    position()
    input.focus({ preventScroll: true })
    if (text === null && select) input.select()
    else input.setSelectionRange(input.value.length, input.value.length)
    if (element.dataset.problem) problem(element.dataset.problem)
  }

  const position = () => {
    if (!cell) return
    const r = cell.getBoundingClientRect(), width = Math.min(Math.max(r.width, 200), innerWidth - 16)
    box.style.width = `${width}px`
    box.style.left = `${Math.max(8, Math.min(r.left, innerWidth - width - 8))}px`
    box.style.top = `${Math.max(4, Math.min(r.top - 2, innerHeight - 90))}px`
  }

  const hint = text => {
    say.className = "say"
    say.removeAttribute("role")
    say.textContent = text
    say.hidden = !text
  }

  const problem = text => {
    hint(text)
    say.classList.add("error")
    say.setAttribute("role", "alert")
    input.setAttribute("aria-invalid", "true")
  }

  const close = () => {
    const was = cell
    cell = null
    box.hidden = true
    box.replaceChildren()
    return was
  }

  const cancel = () => {
    const was = close()
    delete was.dataset.typed
    clear(was)
    was.focus({ preventScroll: true })
  }

  const clear = element => {
    element.removeAttribute("aria-invalid")
    delete element.dataset.problem
  }

  // Keeps the text and sends it; the cell shows it at once. `step`: where the focus goes.
  const commit = (step = "") => {
    if (!cell) return
    const text = input.value.trim(), was = close()
    if (text !== start || was.dataset.typed !== undefined) put(was, text)
    if (step) move(was, step)
  }

  const put = (element, text, version = element.dataset.v ?? element.closest("[data-v]")?.dataset.v ?? "") => {
    const shown = [...element.childNodes]
    clear(element)
    delete element.dataset.typed
    element.classList.add("saving")
    if (!element.children.length) element.textContent = text || "…"
    const values = { place: placeOf(element), field: element.dataset.field, text, v: version }
    return kw.send("PATCH", `${kw.base()}/cell`, values, element.kwKey = keyOf(element)).then(answer => {
      const now = again(element)
      now?.classList.remove("saving")
      if (answer.ok || !now) {
        if (answer.problem) kw.toast(answer.problem.detail, "error")
        return
      }
      now.replaceChildren(...shown)
      now.dataset.typed = text
      now.setAttribute("aria-invalid", "true")
      const words = [answer.problem.detail, answer.problem.fix].filter(Boolean).join(" ")
      now.dataset.problem = words
      now.title = words
      if (cell) kw.say(`Not saved: ${words}`)
      else {
        open(now, { select: false })
        if (answer.status === 409) conflict(now, text, answer.problem)
      }
    })
  }

  // Both values of a cell that two people changed.
  const conflict = (element, text, said) => {
    const clash = said.clashes?.[0] ?? {}
    const theirs = shownText(clash.theirs)
    problem(`${clash.by || "Somebody else"} wrote ${theirs || "nothing"} here meanwhile.`)
    const row = document.createElement("div")
    row.className = "row"
    const mine = button(`Keep yours: ${text || "nothing"}`), other = button(`Take theirs: ${theirs || "nothing"}`)
    mine.addEventListener("click", () => {
      close()
      put(element, text, "")
      element.focus()
    })
    other.addEventListener("click", () => {
      close()
      delete element.dataset.typed
      clear(element)
      kw.load(`${kw.base()}/fresh?${new URLSearchParams(kw.view())}`).then(() => again(element)?.focus())
    })
    row.append(mine, other)
    say.append(row)
  }

  const shownText = value => value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)
  const button = text => {
    const made = document.createElement("button")
    made.type = "button"
    made.className = "btn sm"
    made.textContent = text
    return made
  }

  box.addEventListener("keydown", event => {
    event.stopPropagation()
    if (event.isComposing) return
    if (event.key === "Escape") {
      event.preventDefault()
      cancel()
    } else if (event.target !== input) return
    else if (event.key === "Enter" && event.altKey && input.tagName === "TEXTAREA") input.setRangeText("\n", input.selectionStart, input.selectionEnd, "end")
    else if (event.key === "Enter") {
      event.preventDefault()
      commit(event.ctrlKey || event.metaKey ? "stay" : event.shiftKey ? "up" : "down")
    } else if (event.key === "Tab") {
      event.preventDefault()
      commit(event.shiftKey ? "left" : "right")
    }
  })
  // Leaving the editor keeps what was typed. Deferred: the element that takes the focus may be one of its own buttons.
  box.addEventListener("focusout", () => setTimeout(() => {
    if (cell && !box.contains(document.activeElement) && document.hasFocus()) {
      if (input.getAttribute("aria-invalid")) keepInvalid()
      else commit()
    }
  }))
  const keepInvalid = () => {
    const was = close()
    was.dataset.typed = input.value.trim()
  }

  document.addEventListener("click", event => {
    const element = event.target.closest(".ed[data-field]")
    if (element && !box.contains(event.target)) open(element)
  })
  addEventListener("scroll", position, true)
  addEventListener("resize", position)

  // Outside of a table the focus walks along the editable places; grid.js knows better inside one.
  const along = (element, step) => {
    const all = [...(element.closest(".sec, dialog, main, header") ?? document).querySelectorAll(".ed[data-field]")]
    const here = again(element) ?? element, i = all.indexOf(here)
    const next = step === "right" ? all[i + 1] : step === "left" ? all[i - 1] : here
    if (step === "right" || step === "left") next ? open(next) : here.focus()
    else here.focus({ preventScroll: true })
  }
  move = along
  return { open, commit, along, isOpen: () => !!cell, again, onMove: handler => { move = handler } }
})()
