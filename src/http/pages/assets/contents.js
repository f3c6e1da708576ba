/**
 * Fills the list of contents and lets it be searched. `groups` are titles with entries `{ title, label, hash, text }`,
 * of which `text` is searched as well; `follow` opens an address of the page.
 */
export function showContents(groups, follow) {
  const contents = document.getElementById('contents')
  contents.replaceChildren(
    ...groups
      .filter(({ entries }) => entries.length > 0)
      .map(({ title, entries }) =>
        element('section', {}, element('h2', {}, title), element('ul', {}, ...entries.map(item))),
      ),
  )
  const nothing = document.getElementById('nothing-found')
  const search = document.getElementById('search')
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const one of contents.querySelectorAll('li'))
      one.hidden = !words.every((word) => one.dataset.text.includes(word))
    for (const one of contents.querySelectorAll('section')) one.hidden = !one.querySelector('li:not([hidden])')
    nothing.hidden = contents.querySelector('li:not([hidden])') !== null
  })
  search.form.addEventListener('submit', (event) => {
    event.preventDefault()
    contents.querySelector('li:not([hidden]) a')?.click()
  })
  // on a phone the list covers what it leads to
  const box = document.getElementById('contents-box')
  const phone = matchMedia('(max-width: 60rem)')
  box.open = !phone.matches
  phone.addEventListener('change', () => (box.open = !phone.matches))
  contents.addEventListener('click', (event) => {
    const link = event.target.closest('a')
    if (!link) return
    if (phone.matches) box.open = false
    // the address does not change, so the browser tells of nothing
    if (link.hash === location.hash) follow(link.hash)
  })
  addEventListener('hashchange', () => follow(location.hash))
}

function item({ title, label, hash, text = '' }) {
  const method = label ? [element('span', { className: 'method' }, label)] : []
  const link = element('a', { href: hash }, ...method, element('span', {}, title))
  const one = element('li', {}, link)
  one.dataset.text = `${label ?? ''} ${title} ${text}`.toLowerCase()
  return one
}

function element(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties)
  one.append(...children)
  return one
}
