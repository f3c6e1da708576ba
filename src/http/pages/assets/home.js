import { copy } from './copy.js'

// the address that the reader sees: a proxy may have another one than the service knows
const address = new URL('.', location.href).href.replace(/\/$/, '')
for (const code of document.querySelectorAll('[data-address]')) {
  code.textContent = code.textContent.replaceAll(code.dataset.address, address)
}
for (const button of document.querySelectorAll('button[data-copies]')) {
  button.hidden = false
  button.addEventListener('click', () => copy(document.getElementById(button.dataset.copies).textContent, button))
}
