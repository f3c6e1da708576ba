/** Lists from which texts are chosen. */
const names = ['Luna', 'Milo', 'Hazel', 'Oscar', 'Willow', 'Jasper', 'Ruby', 'Felix', 'Olive', 'Bruno']
const firstNames = ['Ada', 'Grace', 'Alan', 'Mary', 'Noor', 'Lucas', 'Yuki', 'Ines', 'Omar', 'Elsa']
const lastNames = ['Moreau', 'Lindqvist', 'Okafor', 'Tanaka', 'Silva', 'Novak', 'Rossi', 'Khan', 'Berger', 'Jensen']
const words = ['amber', 'brook', 'cedar', 'delta', 'ember', 'fern', 'garden', 'harbor', 'indigo', 'juniper']
const sentences = [
  'It was found near the old harbor.',
  'Everything arrived in good order.',
  'Please read this before you begin.',
  'The second part follows next week.',
  'A short note about what has changed.',
]
const cities = ['Lisbon', 'Utrecht', 'Bergen', 'Kyoto', 'Quito', 'Turin', 'Galway', 'Accra', 'Graz', 'Tampere']
const countries = ['Portugal', 'Norway', 'Japan', 'Ecuador', 'Italy', 'Ireland', 'Ghana', 'Austria', 'Finland', 'Chile']
const companies = ['Northwind', 'Bluebird', 'Stonebridge', 'Lakeside', 'Redwood']

/** Chooses an item of a list; the same one for the same place. */
type Pick = <T>(items: readonly T[]) => T | undefined

/** From what a text is made. */
interface Choice {
  pick: Pick
  number: number
  /** Such as 2026-03-14. */
  day: string
}

interface Kind {
  /** The words of a property's name, in small letters with a space between them, that have this kind of text. */
  pattern: RegExp
  text: (of: Choice) => string
}

/** The kinds of texts by the names of properties. The first one that matches counts. */
const kinds: readonly Kind[] = [
  { pattern: /\b(e ?mail)\b/, text: ({ pick }) => `${pick(firstNames)}.${pick(lastNames)}@example.com`.toLowerCase() },
  {
    pattern: /\b(avatar|image|photo|picture|logo|icon|thumbnail)( ur[il])?$/,
    text: ({ pick }) => `https://example.com/${pick(words)}.png`,
  },
  {
    pattern:
      /\b(ur[il]|href|link|website|homepage|web ?site|webhook|callback|endpoint|redirect|self|next|prev|previous)$/,
    text: ({ pick }) => `https://example.com/${pick(words)}`,
  },
  { pattern: /\b(first|given) name$/, text: ({ pick }) => pick(firstNames) ?? '' },
  { pattern: /\b((last|family|sur) ?name)$/, text: ({ pick }) => pick(lastNames) ?? '' },
  {
    pattern: /\b(user ?name|login|handle|nick ?name|screen name)$/,
    text: ({ pick }) => `${pick(firstNames)}.${pick(lastNames)}`.toLowerCase(),
  },
  {
    pattern:
      /\b(full name|display name|author|owner|creator|assignee|customer|contact|person|created by|updated by|sender|recipient|cardholder)( name)?$/,
    text: ({ pick }) => `${pick(firstNames)} ${pick(lastNames)}`,
  },
  {
    pattern:
      /\b(compan(y|ies)|organi[sz]ation|vendor|supplier|brand|manufacturer|publisher|employer|merchant|team)( name)?$/,
    text: ({ pick }) => `${pick(companies)} Ltd`,
  },
  {
    pattern: /\b(product|item|article|goods)( name)?$/,
    text: ({ pick }) => `${pick(words)} ${pick(['lamp', 'chair', 'basket', 'kettle', 'blanket'])}`,
  },
  { pattern: /\b(file ?name|attachment|document)$/, text: ({ pick }) => `${pick(words)}.pdf` },
  { pattern: /\b(path|directory|folder|pathname)$/, text: ({ pick }) => `/${pick(words)}/${pick(words)}` },
  { pattern: /\b(host|host ?name|domain|domain name|server|fqdn)$/, text: ({ pick }) => `${pick(words)}.example.com` },
  { pattern: /\b(ip|ip address|ipv4)$/, text: ({ number }) => `192.0.2.${1 + (number % 250)}` },
  { pattern: /\b(phone|mobile|fax|telephone|tel)( number)?$/, text: ({ number }) => `+1 555 01${two(number % 100)}` },
  {
    pattern: /\b(city|town|locality|place|location|destination|origin)( name)?$/,
    text: ({ pick }) => pick(cities) ?? '',
  },
  { pattern: /\bcountry code$/, text: ({ pick }) => pick(['PT', 'NO', 'JP', 'EC', 'IT']) ?? '' },
  { pattern: /\bcountry( name)?$/, text: ({ pick }) => pick(countries) ?? '' },
  {
    pattern: /\b(region|province|county|district)$/,
    text: ({ pick }) => pick(['North', 'South', 'East', 'West']) ?? '',
  },
  {
    pattern: /\b(street|address|address line|line ?1)( \d)?$/,
    text: ({ number }) => `${1 + (number % 90)} Garden Street`,
  },
  { pattern: /\b(zip|postal|post)( code)?$/, text: ({ number }) => String(10000 + (number % 80000)) },
  { pattern: /\bcurrency( code)?$/, text: ({ pick }) => pick(['EUR', 'USD', 'JPY', 'NOK']) ?? '' },
  { pattern: /\b(language|lang)( code)?$/, text: ({ pick }) => pick(['en', 'pt', 'ja', 'fr']) ?? '' },
  { pattern: /\blocale$/, text: ({ pick }) => pick(['en-GB', 'pt-PT', 'ja-JP', 'fr-FR']) ?? '' },
  { pattern: /\b(time ?zone|tz)$/, text: ({ pick }) => `Europe/${pick(['Lisbon', 'Oslo', 'Rome', 'Vienna'])}` },
  { pattern: /\b(colou?r)$/, text: ({ pick }) => pick(['black', 'white', 'ginger', 'grey', 'brown']) ?? '' },
  { pattern: /\b(species|animal)$/, text: ({ pick }) => pick(['cat', 'dog', 'rabbit', 'parrot']) ?? '' },
  { pattern: /\bbreed$/, text: ({ pick }) => pick(['Beagle', 'Siamese', 'Collie', 'Birman']) ?? '' },
  { pattern: /\b(gender|sex)$/, text: ({ pick }) => pick(['female', 'male']) ?? '' },
  { pattern: /\bversion$/, text: ({ number }) => `1.${number % 10}.${number % 7}` },
  { pattern: /\b(price|amount|cost|total|balance|fee|tax)$/, text: ({ number }) => `${1 + (number % 90)}.90` },
  { pattern: /\b(mime ?type|content type|media type)$/, text: () => 'application/json' },
  { pattern: /\b(state|status|phase)$/, text: ({ pick }) => pick(['active', 'open', 'ready', 'done']) ?? '' },
  {
    pattern: /\b(type|kind|category|group|class|genre|section|department)( name)?$/,
    text: ({ pick }) => pick(['standard', 'basic', 'special', 'general']) ?? '',
  },
  { pattern: /\b(role|permission|scope)s?$/, text: ({ pick }) => pick(['reader', 'editor', 'admin']) ?? '' },
  {
    pattern:
      /\b(ids?|uuid|guid|key|token|secret|hash|digest|checksum|etag|cursor|sha|signature|session|nonce|ref|reference|code|number|serial|sku)$/,
    text: ({ number }) => number.toString(16).padStart(8, '0'),
  },
  { pattern: /\bslug$/, text: ({ pick }) => `${pick(words)}-${pick(words)}` },
  { pattern: /\b(tag|label|keyword|topic)s?( name)?$/, text: ({ pick }) => pick(words) ?? '' },
  { pattern: /\b(date|day|birthday|dob)$/, text: ({ day }) => day },
  {
    pattern: /\b(time|timestamp|at|on|since|until|created|updated|modified|expires|deadline)$/,
    text: ({ day }) => `${day}T09:30:00Z`,
  },
  {
    pattern:
      /\b(description|summary|comments?|notes?|message|text|content|body|bio|about|details?|reason|abstract|caption|excerpt|feedback|review|instructions?|explanation|error|hint|warning)$/,
    text: ({ pick }) => pick(sentences) ?? '',
  },
  { pattern: /\b(title|subject|headline|heading)$/, text: ({ pick }) => `The ${pick(words)} ${pick(words)}` },
  { pattern: /\bnames?$/, text: ({ pick }) => pick(names) ?? '' },
]

/** Texts by the formats that have a meaning to people. */
const formats: Readonly<Record<string, (of: Choice) => string>> = {
  date: ({ day }) => day,
  'date-time': ({ number, day }) => `${day}T${two(8 + (number % 10))}:30:00Z`,
  time: ({ number }) => `${two(8 + (number % 10))}:30:00Z`,
  email: ({ pick }) => `${pick(firstNames)}.${pick(lastNames)}@example.com`.toLowerCase(),
  'idn-email': ({ pick }) => `${pick(firstNames)}.${pick(lastNames)}@example.com`.toLowerCase(),
  uri: ({ pick }) => `https://example.com/${pick(words)}`,
  url: ({ pick }) => `https://example.com/${pick(words)}`,
  iri: ({ pick }) => `https://example.com/${pick(words)}`,
  'uri-reference': ({ pick }) => `/${pick(words)}/${pick(words)}`,
  'iri-reference': ({ pick }) => `/${pick(words)}/${pick(words)}`,
  hostname: ({ pick }) => `${pick(words)}.example.com`,
  'idn-hostname': ({ pick }) => `${pick(words)}.example.com`,
  ipv4: ({ number }) => `192.0.2.${1 + (number % 250)}`,
  ipv6: ({ number }) => `2001:db8::${(1 + (number % 65_000)).toString(16)}`,
  uuid: ({ number }) =>
    `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
  int32: ({ number }) => String(number % 1000),
  int64: ({ number }) => String(number % 1000),
  decimal: ({ number }) => `${number % 100}.50`,
  double: ({ number }) => `${number % 100}.50`,
  float: ({ number }) => `${number % 100}.50`,
  password: ({ pick }) => `${pick(words)}-${pick(words)}-${pick(words)}`,
}

/** Formats with rules of their own, and texts that nobody reads. */
const ruled = new Set(['byte', 'binary', 'duration', 'regex', 'json-pointer', 'relative-json-pointer', 'uri-template'])

/**
 * A text that people can read for a property, whose name is given in words, and its format; undefined for a format that has
 * its own rules. `number` chooses among several.
 */
export function readableText(spoken: string, format: string | undefined, number: number): string | undefined {
  let next = number
  const pick: Pick = (items) => {
    const chosen = items[next % items.length]
    next = (next * 31 + 17) % 2 ** 31
    return chosen
  }
  const of = { pick, number, day: dayOf(spoken, number) }
  if (format !== undefined && Object.hasOwn(formats, format)) return formats[format]?.(of)
  if (format !== undefined && ruled.has(format)) return undefined
  // a format that nobody checks says what a text is, as a name does
  const kind = [spoken, wordsOf(format ?? '')].flatMap((one) => kinds.find(({ pattern }) => pattern.test(one)) ?? [])[0]
  return kind?.text(of) ?? `${pick(words)} ${pick(words)}`
}

/** `firstName`, `first_name` and `FirstName` are `first name`. */
export function wordsOf(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** A day; of what ends or changes something, after the days of what begins it. */
function dayOf(spoken: string, number: number): string {
  const isLater = /\b(updated|modified|changed|end|ends|ended|until|expir\w+|finished|closed|deleted|due|to)\b/.test(
    spoken,
  )
  return `2026-${two((isLater ? 7 : 1) + (number % 6))}-${two(1 + (number % 28))}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
