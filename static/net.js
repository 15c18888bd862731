// The only place that talks to the server and to htmx. Edits leave in the order they were made, one after the other, and stay in
// the outbox until the server has acknowledged them; a second edit of the same cell that still waits replaces the first.
"use strict"
window.kw = (() => {
  const body = document.body, project = body.dataset.project
  const outbox = []
  let sending = false, wait = 0, sayTimer = 0

  const main = () => document.getElementById("main")
  const base = () => `/p/${project}`

  // What of the page has to be answered: which page, up to which change it is, which rows are open.
  const view = () => ({
    page: main()?.dataset.page ?? "", seen: body.dataset.seen ?? "0",
    open: [...document.querySelectorAll("tr.more")].map(row => row.dataset.row).join(" "),
  })

  // -> {ok, status, problem}. Never rejects: without a network it keeps trying.
  const send = (method, url, values, key = "") => new Promise(resolve => {
    const waiting = key && outbox.find((item, i) => item.key === key && !(i === 0 && sending))
    if (waiting) {
      // The version stays the one of the first edit: what the text was typed over.
      waiting.values = { ...values, v: waiting.values.v }
      waiting.resolve.push(resolve)
      return
    }
    outbox.push({ method, url, values, key, resolve: [resolve] })
    pump()
  })

  const pump = async () => {
    if (sending || !outbox.length) return
    sending = true
    const item = outbox[0]
    let answer
    try {
      answer = await exchange(item.method, item.url, { ...kw.view(), ...item.values })
      wait = 0
    } catch {
      wait = Math.min(wait ? wait * 2 : 500, 8000)
      unsaved(`Not saved yet: no answer from the server, ${outbox.length} waiting`)
      sending = false
      setTimeout(pump, wait)
      return
    }
    outbox.shift()
    sending = false
    // What waits for the same cell was typed over this answer, not over what the page showed then.
    if (answer.version) outbox.filter(next => item.key && next.key === item.key).forEach(next => { next.values.v = answer.version })
    pump()
    item.resolve.forEach(done => done(answer))
  }

  const exchange = async (method, url, values) => {
    const response = await fetch(url, {
      method, body: new URLSearchParams(values), redirect: "follow",
      headers: { "HX-Request": "true", Accept: "application/problem+json, text/html" },
    })
    const text = await response.text()
    if (response.status === 503 || response.status === 502) throw new Error(text)
    if (response.headers.get("HX-Redirect")) location.assign(response.headers.get("HX-Redirect"))
    if (!response.ok) return { ok: false, status: response.status, problem: problem(response, text) }
    if (response.redirected) {
      location.assign(response.url)
      return { ok: true, status: 200 }
    }
    await show(text)
    const change = response.headers.get("Keywright-Change")
    if (change) body.dataset.seen = change
    const words = response.headers.get("Keywright-Say")
    if (words) say(decodeURIComponent(words))
    const fresh = main()?.dataset.refresh
    if (fresh && change) await refresh(fresh)
    return { ok: true, status: response.status, version: response.headers.get("Keywright-Version") }
  }

  const problem = (response, text) => {
    if ((response.headers.get("content-type") ?? "").includes("json")) return JSON.parse(text)
    return { title: "Something went wrong", detail: `The server answered ${response.status}.` }
  }

  // Put <hx-partial> parts in their places.
  const show = text => text.trim() ? htmx.swap({ sourceElement: body, target: body, swap: "none", text }) : Promise.resolve()
  const refresh = url => htmx.ajax("GET", url, { source: main(), target: "#main", select: "#main", swap: "outerMorph" })
  const load = async url => {
    const response = await fetch(url, { headers: { "HX-Request": "true" } })
    if (response.ok) await show(await response.text())
    else toast(`The server answered ${response.status}.`, "error")
    return response.ok
  }

  const unsaved = text => {
    const saved = document.querySelector("#saved .saved")
    if (saved) {
      saved.textContent = text
      saved.classList.add("waiting")
    }
  }

  const say = text => {
    clearTimeout(sayTimer)
    sayTimer = setTimeout(() => { document.getElementById("live").textContent = text }, 500)
  }

  const toast = (text, kind = "ok") => {
    const box = document.createElement("div")
    box.className = `toast ${kind}`
    box.setAttribute("role", kind === "error" ? "alert" : "status")
    box.dataset.toast = ""
    const p = box.appendChild(document.createElement("p"))
    p.textContent = text
    const close = box.appendChild(document.createElement("button"))
    close.className = "btn bare sm"
    close.type = "button"
    close.dataset.dismiss = ""
    close.textContent = "Dismiss"
    document.getElementById("toasts").replaceChildren(box)
  }

  // Sends and shows what went wrong in the corner; for everything that is not a cell.
  const act = async (method, url, values, key) => {
    const answer = await send(method, url, values, key)
    if (!answer.ok) toast([answer.problem.detail, answer.problem.fix].filter(Boolean).join(" "), "error")
    return answer
  }

  addEventListener("beforeunload", event => { if (outbox.length) event.preventDefault() })
  addEventListener("htmx:error", () => toast("No answer from the server.", "error"))
  return { send, act, show, load, say, toast, base, view, main, waiting: () => outbox.length }
})()
