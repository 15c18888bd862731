// A file opened or dropped is read into the text area, so that it can be seen and changed before anything is made of it.
"use strict"
{
  const text = document.getElementById("text"), name = document.getElementById("filename"), input = document.getElementById("file")
  const take = async file => {
    if (file.size > 5 * 1024 * 1024) return kw.toast("More than 5 MB: take a smaller file.", "error")
    name.value = file.name
    text.value = await file.text()
    text.dispatchEvent(new Event("input", { bubbles: true }))
    text.focus()
  }
  input.addEventListener("change", () => { if (input.files[0]) take(input.files[0]) })
  for (const kind of ["dragover", "drop"]) text.closest(".sec").addEventListener(kind, event => {
    if (![...event.dataTransfer.types].includes("Files")) return
    event.preventDefault()
    if (kind === "drop") take(event.dataTransfer.files[0])
  })
  text.addEventListener("input", event => { if (event.inputType) name.value = "" })
}
