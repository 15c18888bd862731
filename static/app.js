// What every page has: light and dark, toasts, the shortcut sheet, forms that are sent without leaving the page, undo keys.
"use strict"
{
  const root = document.documentElement
  const store = (key, value) => { try { localStorage.setItem(key, value) } catch { /* private mode: the choice lasts for this page */ } }
  const stored = key => { try { return localStorage.getItem(key) } catch { return null } }
  const byId = id => document.getElementById(id)

  const themes = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches
    const now = root.dataset.theme || (dark ? "dark" : "light")
    root.dataset.theme = now === "dark" ? "light" : "dark"
    store("theme", root.dataset.theme)
  }

  const rows = value => {
    root.classList.toggle("compact", value === "compact")
    store("rows", value)
    mark()
  }

  // Buttons that show a state kept on <html> say which one it is; also after a part was replaced.
  const mark = () => {
    const compact = root.classList.contains("compact")
    document.querySelectorAll("[data-density-switch] button").forEach(b => b.setAttribute("aria-pressed", String((b.value === "compact") === compact)))
    document.querySelectorAll("[data-single-keys]").forEach(box => { box.checked = stored("single-keys") !== "off" })
  }

  // Toasts leave after ten seconds, but not while they are pointed at or hold the focus.
  setInterval(() => {
    document.querySelectorAll("[data-toast]").forEach(toast => {
      if (toast.matches(":hover, :focus-within")) return
      const age = Number(toast.dataset.age ?? 0) + 1
      toast.dataset.age = age
      if (age > 10) toast.remove()
    })
  }, 1000)

  document.addEventListener("click", event => {
    const button = event.target.closest("button, summary")
    document.querySelectorAll("details.menu[open]").forEach(menu => { if (!menu.contains(event.target)) menu.open = false })
    if (!button) return
    if (button.matches("[data-theme-switch]")) themes()
    if (button.matches("[data-density-switch] button")) rows(button.value)
    if (button.matches("[data-panel-switch]")) store("panel", root.classList.toggle("shut") ? "shut" : "open")
    if (button.matches("[data-dismiss]")) button.closest("[data-toast]").remove()
    if (button.matches("[data-shortcuts]")) byId("shortcuts").showModal()
    if (button.matches("[data-close]")) button.closest("dialog").close()
    if (button.matches("[data-show]")) reveal(button)
    if (button.matches("[data-copy]")) copy(button)
  })

  // A button that shows and hides a form: aria-expanded, data-show="id".
  const reveal = button => {
    const box = byId(button.dataset.show)
    box.hidden = !box.hidden
    button.setAttribute("aria-expanded", String(!box.hidden))
    if (!box.hidden) box.querySelector("input:not([type=hidden]), textarea, select")?.focus()
  }

  const copy = button => {
    const source = byId(button.dataset.copy)
    const text = source.value ?? source.textContent
    const area = document.createElement("textarea")
    area.value = text
    document.body.append(area)
    area.select()
    // navigator.clipboard is missing on plain-http names, this is not.
    const done = document.execCommand("copy")
    area.remove()
    button.focus()
    kw.toast(done ? "Copied." : "This browser does not allow copying; select the text.", done ? "ok" : "error")
  }

  document.addEventListener("submit", event => {
    const form = event.target
    const ask = form.matches("[data-ask]"), undo = form.matches("[data-undo]"), redo = form.matches("[data-redo]")
    if (ask) {
      event.preventDefault()
      const data = Object.fromEntries(new FormData(form))
      // Average, p99 and maximum are asked for one by one and are one value.
      const text = data.text ?? ["avg", "p99", "max"].filter(name => data[name]?.trim()).map(name => `${name} ${data[name].trim()}`).join(", ")
      if (text) kw.act("PATCH", `${kw.base()}/cell`, { place: form.dataset.place, field: "", text })
    } else if (undo || redo || form.matches("[data-send]")) {
      event.preventDefault()
      const data = Object.fromEntries(new FormData(form, event.submitter))
      form.closest("dialog")?.close()
      form.closest("details.menu")?.removeAttribute("open")
      kw.act("POST", form.getAttribute("action"), data)
    }
  })

  const typing = target => target.closest?.("input, textarea, select, [contenteditable]")
  document.addEventListener("keydown", event => {
    const command = event.ctrlKey || event.metaKey
    if (typing(event.target)) return
    if (command && !event.altKey && /^[zy]$/i.test(event.key) && byId("undo")) {
      event.preventDefault()
      const again = event.key.toLowerCase() === "y" || event.shiftKey
      const button = document.querySelector(again ? "[data-redo] button" : "[data-undo] button")
      if (!button.disabled) button.form.requestSubmit()
      else kw.say(again ? "Nothing to redo." : "Nothing to undo.")
    }
    if (event.key === "?" && !command && stored("single-keys") !== "off" && !document.querySelector("dialog[open]")) {
      event.preventDefault()
      byId("shortcuts").showModal()
    }
  })
  document.addEventListener("change", event => {
    if (event.target.matches("[data-single-keys]")) store("single-keys", event.target.checked ? "on" : "off")
  })
  document.addEventListener("htmx:after:swap", mark)
  mark()
  // On a narrow screen the place one is at can lie outside of a row of tabs.
  for (const tabs of document.querySelectorAll(".nav,.tabs")) {
    const here = tabs.querySelector("[aria-current]")
    if (here) tabs.scrollLeft = here.offsetLeft + here.offsetWidth / 2 - tabs.offsetLeft - tabs.clientWidth / 2
  }
}
