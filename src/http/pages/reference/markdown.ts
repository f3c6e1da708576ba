import MarkdownIt from 'markdown-it'
import { escaped, Html } from './html.ts'

const parser = new MarkdownIt({ html: false, linkify: false })

// the policy of the page does not load pictures of others
parser.disable('image')
// a long name may break after each low line
parser.renderer.rules.code_inline = (tokens, index) =>
  `<code>${escaped(tokens[index]?.content ?? '').replaceAll('_', '_<wbr>')}</code>`

/**
 * Markdown as HTML. What looks like HTML in it is shown as text. Its headings are below a heading of the level `below`,
 * and none is more than one level below the heading before it. Below level 6 they are paragraphs.
 */
export function markdown(text: string, below: number): Html {
  const tokens = parser.parse(text, {})
  const ranks = tokens.filter(({ type }) => type === 'heading_open').map(({ tag }) => Number(tag.slice(1)))
  const first = Math.min(...ranks)
  let last = below
  for (const token of tokens) {
    if (token.type === 'heading_open') last = Math.min(last + 1, below + 1 + Number(token.tag.slice(1)) - first, 6)
    if (token.type.startsWith('heading_')) token.tag = below < 6 ? `h${last}` : 'p'
  }
  const shown = parser.renderer.render(tokens, parser.options, {})
  return new Html(
    shown.replaceAll('<table>', '<div class="wide" tabindex="0"><table>').replaceAll('</table>', '</table></div>'),
  )
}

/** The longest introduction, in characters, that stands whole before the operations. */
const shortIntroduction = 400

/** A description by its headings: what introduces the service, of which a long one is the first paragraph, and the sections. */
export function sectionsOf(description: string, guide: string): { intro: string; sections: GuideSection[] } {
  const found = [{ title: 'Introduction', text: '' }]
  let fence = ''
  for (const line of `${description.trim()}\n\n${guide.trim()}`.split('\n')) {
    const [, mark = ''] = /^ {0,3}(```|~~~)/.exec(line) ?? []
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : ''
    const [, title] = (fence === '' && /^ {0,3}#{1,2} +(.*?)[ #]*$/.exec(line)) || []
    if (title !== undefined && title !== '') found.push({ title: title.replaceAll('`', ''), text: '' })
    else for (const section of found.slice(-1)) section.text += `${line}\n`
  }
  const [introduction, ...others] = found
  const whole = (introduction?.text ?? '').trim()
  const [intro = '', ...rest] = whole.length > shortIntroduction ? whole.split(/\n\s*\n/) : [whole]
  const sections = [{ title: 'Introduction', text: rest.join('\n\n') }, ...others]
  const kept = sections.filter(({ text }) => text.trim() !== '')
  return { intro, sections: kept.map((one, index) => ({ ...one, id: `guide-${slug(one.title) || index}` })) }
}

export interface GuideSection {
  title: string
  text: string
  id: string
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
