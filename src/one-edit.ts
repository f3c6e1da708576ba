/** Whether two words differ in one letter that is missing, added or another one, or in two neighbours that changed places. */
export function isOneEdit(word: string, other: string): boolean {
  let start = 0
  while (start < word.length && word[start] === other[start]) start += 1
  let end = 0
  while (end < Math.min(word.length, other.length) - start && word.at(-1 - end) === other.at(-1 - end)) end += 1
  const [left, right] = [word.slice(start, word.length - end), other.slice(start, other.length - end)]
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0]
  return left.length <= 1 && right.length <= 1 && left !== right
}
