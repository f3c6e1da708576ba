/** Copies a text, and says so on the button. The clipboard's interface exists only over HTTPS and on this machine. */
export async function copy(text, button) {
  await (navigator.clipboard ? navigator.clipboard.writeText(text) : copySelection(text))
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), 2000)
}

function copySelection(text) {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
