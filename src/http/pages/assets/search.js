/** Lets the list of contents be searched, by the text of what it leads to. */
export function showSearch() {
  const contents = document.getElementById('contents')
  const nothing = document.getElementById('nothing-found')
  const search = document.getElementById('search')
  const box = document.getElementById('contents-box')
  const texts = new Map()

  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const item of contents.querySelectorAll('li'))
      item.hidden = !words.every((word) => textOf(item).includes(word))
    for (const section of contents.querySelectorAll('section'))
      section.hidden = !section.querySelector('li:not([hidden])')
    nothing.hidden = contents.querySelector('li:not([hidden])') !== null
  })
  search.form.addEventListener('submit', (event) => {
    event.preventDefault()
    contents.querySelector('li:not([hidden]) a')?.click()
  })
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    box.open = true
    search.focus()
    search.select()
  })
  // on a phone the list covers what it leads to
  const phone = matchMedia('(max-width: 60rem)')
  box.open = !phone.matches
  phone.addEventListener('change', () => (box.open = !phone.matches))
  contents.addEventListener('click', ({ target }) => {
    if (phone.matches && target.closest('a')) box.open = false
  })

  /** What an item leads to: an operation without its answers, or the whole of a section. */
  function textOf(item) {
    const known = texts.get(item)
    if (known !== undefined) return known
    const id = item.querySelector('a').getAttribute('href').slice(1)
    const target = document.getElementById(id)
    const parts = target?.matches('article') ? target.querySelectorAll('header, .about') : [target?.closest('section')]
    const named = target?.matches('article') ? decodeURIComponent(id) : ''
    const text = [item, ...parts].map((part) => part?.textContent ?? '').join(' ')
    texts.set(item, `${named} ${text}`.toLowerCase())
    return texts.get(item)
  }
}
