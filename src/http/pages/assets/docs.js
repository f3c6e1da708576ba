import { copy } from './copy.js'
import { execute, filled } from './execute.js'
import { showKeyForm } from './key-form.js'
import { keyTrial, masked } from './keys.js'
import { requestOf } from './request.js'
import { sampleIn } from './samples.js'
import { showSearch } from './search.js'

/** How often, in ms, the contract is looked at where the page follows it. */
const followMs = 1000
const storedLanguage = 'language of samples'

// the address that the reader sees: a proxy may have another one than the service knows
const base = new URL('.', location.href).href.replace(/\/$/, '')
const articles = [...document.querySelectorAll('article.operation')]
const formOf = ({ dataset }) => JSON.parse(dataset.form)

document.documentElement.classList.add('with-script')
const key = document.getElementById('key')
  ? showKeyForm(keyTrial(articles, formOf, base), showSamples)
  : { current: () => undefined }
let language = localStorage.getItem(storedLanguage) ?? 'curl'
showSamples()
showSearch()
for (const article of articles) {
  const form = article.querySelector('form')
  form.addEventListener('input', () => showSample(article))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    execute(article, formOf(article), base, key.current())
  })
  article.querySelector('.languages').addEventListener('click', ({ target }) => choose(target))
  article.querySelector('.copy').addEventListener('click', ({ currentTarget }) => {
    copy(sampleOf(article, key.current()), currentTarget)
  })
}
if ('follow' in document.documentElement.dataset) follow()

function choose(button) {
  if (button.type !== 'button') return
  const before = button.getBoundingClientRect().top
  language = button.textContent
  localStorage.setItem(storedLanguage, language)
  showSamples()
  // samples above this one may have become longer or shorter
  scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' })
}

function showSamples() {
  for (const article of articles) showSample(article)
}

/** Shows the request that Execute would send. A part of the key is shown, and all of it copied. */
function showSample(article) {
  article.querySelector('.sample code').textContent = sampleOf(article, masked(key.current()))
  for (const button of article.querySelectorAll('.languages button')) {
    button.ariaPressed = String(button.textContent === language)
  }
}

function sampleOf(article, shownKey) {
  try {
    return sampleIn(language, requestOf(formOf(article), filled(article), base), shownKey)
  } catch (error) {
    return error.message
  }
}

/** Loads the page anew once the contract is another one. While the service is down there is none. */
async function follow() {
  const tag = async () => {
    const answer = await fetch('openapi.json', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
    return answer?.ok ? answer.headers.get('ETag') : undefined
  }
  const first = await tag()
  setInterval(async () => {
    const now = await tag()
    if (now !== undefined && now !== first) location.reload()
  }, followMs)
}
