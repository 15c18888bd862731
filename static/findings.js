// Findings: filters of the panel, F8 from one to the next, and the filter over the table.
"use strict"
{
  const panel = () => document.getElementById("panel")
  const view = kw.view
  kw.view = () => ({ ...view(), show: panel().dataset.showFilter || "none" })

  document.addEventListener("click", event => {
    const kind = event.target.closest("[data-show-kind]")
    const finding = event.target.closest(".finding")
    if (kind) {
      const shown = new Set(panel().dataset.showFilter.split(" ").filter(Boolean))
      shown.has(kind.value) ? shown.delete(kind.value) : shown.add(kind.value)
      kw.load(`${kw.base()}/findings?show=${[...shown].join("+") || "none"}`)
    } else if (finding && !event.target.closest("a, button, input, textarea, label")) go(finding)
    const link = event.target.closest("a[href^='#r-']")
    if (link) {
      event.preventDefault()
      const row = document.querySelector(link.getAttribute("href"))
      if (row) kw.grid.go(row, 1)
    }
  })

  // The finding, and the row it is about, both in sight.
  const go = (finding, focus = true) => {
    document.querySelectorAll(".finding.on").forEach(other => other.classList.remove("on"))
    document.querySelectorAll("#rows .hot").forEach(row => row.classList.remove("hot"))
    finding.classList.add("on")
    if (focus) finding.focus({ preventScroll: true })
    finding.scrollIntoView({ block: "nearest" })
    const target = finding.dataset.target
    const row = target.startsWith("#") && document.querySelector(target)
    if (row) {
      row.classList.add("hot")
      row.scrollIntoView({ block: "nearest" })
    }
  }

  document.addEventListener("keydown", event => {
    if (event.key !== "F8" || document.querySelector("dialog[open]")) return
    event.preventDefault()
    document.documentElement.classList.remove("shut")
    const all = [...panel().querySelectorAll(".finding")], i = all.findIndex(f => f.classList.contains("on"))
    const next = all[event.shiftKey ? (i < 0 ? all.length - 1 : i - 1) : i + 1] ?? all[event.shiftKey ? all.length - 1 : 0]
    if (next) go(next)
    else kw.say("No findings.")
  })
  document.addEventListener("keydown", event => {
    const finding = event.target.closest?.(".finding")
    if (!finding || event.target !== finding || event.key !== "Enter") return
    const row = finding.dataset.target.startsWith("#") && document.querySelector(finding.dataset.target)
    if (row) kw.grid.go(row, 1)
  })

  // -------------------------------------------------------------- the filter over the table

  const box = document.getElementById("filter"), kinds = document.querySelector("[data-kind-filter]")
  let kind = ""
  const apply = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0, all = 0
    for (const row of document.getElementById("rows").rows) {
      if (row.classList.contains("more")) {
        row.hidden = row.previousElementSibling.hidden
        continue
      }
      const text = words.length ? row.textContent.toLowerCase() : ""
      row.hidden = (kind && row.dataset.kind !== kind) || words.some(word => !text.includes(word))
      all += 1
      shown += !row.hidden
    }
    const line = document.getElementById("filtered")
    if (line) line.textContent = shown < all ? `${shown} of ${all} shown` : ""
  }
  box.addEventListener("input", apply)
  kinds.addEventListener("click", event => {
    const button = event.target.closest("button")
    if (!button) return
    kind = button.value
    kinds.querySelectorAll("button").forEach(b => b.setAttribute("aria-pressed", String(b === button)))
    apply()
  })
  addEventListener("htmx:after:swap", () => { if (kind || box.value) apply() })
}
