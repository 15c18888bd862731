// Rows from outside: typed into the last line, or pasted from a spreadsheet, Markdown or CSV. More than one line opens a preview.
"use strict"
{
  const dialog = document.getElementById("paste"), area = document.getElementById("paste-text")
  const ghost = () => document.getElementById("ghost")
  let timer = 0

  const preview = () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const response = await fetch(`${kw.base()}/paste/reading`, { method: "POST", body: new URLSearchParams({ text: area.value }), headers: { "HX-Request": "true" } })
      await kw.show(await response.text())
    }, 200)
  }
  const ask = text => {
    area.value = text
    dialog.showModal()
    area.focus()
    preview()
  }
  area.addEventListener("input", preview)

  // One trailing line end is what spreadsheets add; it is no further row.
  const several = text => /[\n\t]/.test(text.replace(/\r?\n$/, "")) || /^\s*\|.*\|/.test(text)

  document.addEventListener("paste", event => {
    const text = event.clipboardData?.getData("text/plain") ?? ""
    const target = event.target
    if (target === ghost() ? !several(text) : target.closest?.("input, textarea, [contenteditable]")) return
    if (!text.trim() || !several(text) || dialog.open) return
    event.preventDefault()
    ask(text.replace(/\r?\n$/, ""))
  })

  document.addEventListener("copy", event => {
    const cell = document.activeElement?.closest?.("#rows > tr > [tabindex]")
    if (!cell || cell !== document.activeElement || getSelection().toString()) return
    event.preventDefault()
    event.clipboardData.setData("text/plain", cell.dataset.text ?? cell.textContent.trim())
    kw.say("Copied.")
  })

  document.addEventListener("click", event => {
    if (event.target.closest("[data-paste]")) ask("")
    if (event.target.closest("[data-new-row]")) {
      ghost().scrollIntoView({ block: "nearest" })
      ghost().focus()
    }
  })

  // In an empty table there is one thing to do.
  if (!kw.grid.rows().length && !location.hash) ghost().focus()

  document.addEventListener("keydown", async event => {
    if (event.target !== ghost()) return
    if (event.key === "ArrowUp") {
      const rows = kw.grid.rows()
      if (rows.length) kw.grid.go(rows[rows.length - 1], 0)
    } else if (event.key === "Escape") ghost().value = ""
    else if (event.key === "Enter" && ghost().value.trim()) {
      event.preventDefault()
      const text = ghost().value
      ghost().value = ""
      const answer = await kw.act("POST", `${kw.base()}/paste`, { text })
      if (!answer.ok) ghost().value = text
      ghost().focus()
    }
  })
}
