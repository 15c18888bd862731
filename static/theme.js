// Runs before the first paint so that a stored choice of colours never flashes.
(() => {
  const stored = key => { try { return localStorage.getItem(key) } catch { return null } }
  const theme = stored("theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  if (stored("rows") === "compact") document.documentElement.classList.add("compact")
  if (stored("panel") === "shut") document.documentElement.classList.add("shut")
})()
