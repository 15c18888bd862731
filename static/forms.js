// A form that adds an entry is empty again once the entry is there; an error leaves what was typed.
"use strict"
{
  let sent = []
  document.addEventListener("submit", event => {
    const form = event.target
    if (form.matches("[data-send], [data-ask]")) sent = [...form.querySelectorAll("input[id]:not([type=hidden]), textarea[id]")].map(input => input.id)
  })
  document.addEventListener("htmx:after:swap", () => {
    for (const id of sent) {
      const input = document.getElementById(id)
      if (input && input.type !== "checkbox" && input.type !== "radio") input.value = ""
    }
    sent = []
  })
}
