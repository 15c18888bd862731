// While a key is typed in the floating editor, what it would change is shown under the table it belongs to.
"use strict"
{
  let timer = 0, asked = 0

  // The place that is being edited: the editor carries its label.
  const edited = input => [...document.querySelectorAll("[data-preview] .ed[data-field]")]
    .find(place => place.dataset.label === input.getAttribute("aria-label"))

  const box = () => document.getElementById("preview")
  const hide = () => {
    asked += 1
    clearTimeout(timer)
    if (box()) box().hidden = true
  }

  const ask = async (place, text) => {
    const turn = asked += 1
    const query = new URLSearchParams({ place: place.closest("[data-place]").dataset.place, field: place.dataset.field, text })
    const response = await fetch(`${place.closest("[data-preview]").dataset.preview}?${query}`, { headers: { "HX-Request": "true" } })
    const html = await response.text()
    if (turn !== asked || !response.ok || !box()) return
    const parsed = new DOMParser().parseFromString(html, "text/html").getElementById("preview")
    if (parsed) box().replaceWith(document.adoptNode(parsed))
  }

  document.addEventListener("input", event => {
    const input = event.target
    if (!input.closest?.(".editor")) return
    const place = edited(input)
    clearTimeout(timer)
    if (place) timer = setTimeout(() => ask(place, input.value).catch(hide), 200)
  })
  document.addEventListener("keydown", event => { if (event.key === "Escape" && event.target.closest?.(".editor")) hide() }, true)
}
