/** The longest name of a function. */
const maxLength = 100

/**
 * The name of an operation's function and file. An operationId that can be one is taken as it is. In any other, and in
 * the method and path of an operation without one, letters after other characters become capitals: `pets/list-all` is
 * `petsListAll`, and `get /pets/{petId}` is `getPetsPetId`. A name that begins with a digit gets `op` in front; a
 * reserved word gets `_` behind.
 */
export function operationName(operationId: string | undefined, methodAndPath: string): string {
  const given = operationId === undefined ? '' : nameFrom(operationId)
  return given === '' ? nameFrom(methodAndPath) : given
}

function nameFrom(text: string): string {
  if (isName(text)) return text
  const [first = '', ...others] =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9][A-Za-z0-9_]*/g) ?? []
  const joined = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const begun = /^\d/.test(joined) ? `op${joined}` : joined
  const name = begun.slice(0, maxLength)
  return reserved.has(name.toLowerCase()) ? `${name}_` : name
}

const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield ' +
    // device names of Windows
    'aux com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 nul prn'
  ).split(' '),
)

function isName(operationId: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9_]*$/.test(operationId) &&
    operationId.length <= maxLength &&
    !reserved.has(operationId.toLowerCase())
  )
}
