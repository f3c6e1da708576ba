import { describe, expect, test } from '@jest/globals'
import { parseContract } from '../../../src/contract/model/files/document.ts'
import { modelOf } from '../../../src/contract/model/model.ts'
import { costlyPatterns } from '../../../src/contract/rules/patterns.ts'
import { judge } from '../../../src/contract/rules/judge.ts'
import { withBody } from '../../support/contracts/things.ts'

/** What the rule says of a pattern. */
function findings(pattern: string, maxLength?: number): string[] {
  const contract = parseContract(withBody(JSON.stringify({ type: 'string', pattern, maxLength })), 'openapi.yaml')
  return judge(modelOf(contract), { schema: [costlyPatterns] }).map(({ level, message }) => `${level} ${message}`)
}

const sentence = 'Some texts fit parts of the pattern in so many ways that most engines never finish with them.'
const here = 'So does this service, because of its look-around, back references or word boundaries.'

describe('a pattern is reported whose texts fit in exponentially many ways', () => {
  test.each(
    String.raw`^(a+)+$
(a|aa)*b
^(a|aa)+$
(\w+\s?)*$
^(a*)*$
^(a|a)*$
^((ab)+)+$
^(ab|ab)*c$
^(\d+|\d+\.)*$
^(([a-z])+.)+[A-Z]([a-z])+$
^(x+x+)+y$
^(?:[a-z]|[a-z0-9])*_$
^(a|b|ab)*c$
^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$
(.*)*x
^(\p{L}+)+$
^(aa?)*?b$
^(\d{1,3}){1,}x$`.split('\n'),
  )('%s', (pattern) => {
    expect(findings(pattern)).toEqual([`warned ${sentence}`])
  })

  test.each(
    String.raw`^(?=(a+)+$)b
^(?!x)(a|aa)+$
^(\w+\b\s?)*$
^(a)(\w*)*\1$`.split('\n'),
  )('%s, and not bounded', (pattern) => {
    expect(findings(pattern)).toEqual([`warned ${sentence} ${here}`])
  })
})

describe('a pattern that stays with the engine is reported if its work may grow faster than the text', () => {
  const growing = `warned The time to match the pattern may grow faster than the text, because of its look-around, back references or word boundaries.`

  test.each(
    String.raw`^(?=.*a.*b)c
^.*a.*b(?!x)
(?=.*\d).{8,}$
^(?:(?!.*--)[a-z-])+$
^(.*)\1$
\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b
^(?!x)\s*\w*\w*!$
^(?!.*(.).*\1)[a-z]+$`.split('\n'),
  )('%s', (pattern) => {
    expect(findings(pattern)).toEqual([growing])
    expect(findings(pattern, 256)).toEqual([])
    expect(findings(pattern, 257)).toEqual([growing])
  })
})

test.each(
  String.raw`^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$
^\d{4}-\d{2}-\d{2}$
^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$
^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$
^[^@\s]+@[^@\s]+\.[^@\s]+$
\S+@\S+\.\S+
^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$
^[\w.+-]+@[\w-]+\.[\w.-]+$
^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
^(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+[a-z]{2,63}$
^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]).{8,64}$
^[a-z0-9]+(?:-[a-z0-9]+)*$
^\+?[1-9]\d{1,14}$
^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$
^(https?|ftp)://[^\s/$.?#].[^\s]*$
^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$
^(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$
^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$
^.*\S.*$
^\S(.*\S)?$
^\s*\w+(\s*,\s*\w+)*\s*$
^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$
^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$
^P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$
^(\/[^\/]+)+$
^(-?\d+)(,-?\d+)*$
^-?\d{1,3}(\.\d+)?,\s*-?\d{1,3}(\.\d+)?$
^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-\d{3})?$
^\w+(\.\w+)*(\[\d+\])*$
^.{1,255}$
^\p{Lu}[\p{L}\p{M}' -]{0,99}$
^(?=.*[a-z])(?=.*\d).{8,}$
^(?=.*[A-Za-z])(?=.*\d)[A-Za-z\d]{8,}$
(?=^.{8,}$)((?=.*\d)|(?=.*\W+))(?![.\n])(?=.*[A-Z])(?=.*[a-z]).*$
^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-\.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$
^(?:(?:(?:0?[13578]|1[02])(\/|-|\.)31)\1|(?:(?:0?[1,3-9]|1[0-2])(\/|-|\.)(?:29|30)\2))(?:(?:1[6-9]|[2-9]\d)?\d{2})$
^(?!000|666)[0-8]\d{2}-(?!00)\d{2}-(?!0000)\d{4}$
^(?![0-9]+$)(?!.*-$)(?!-)[a-z0-9-]{1,63}$
^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$
^(?!.*[-_]{2})[a-z0-9][a-z0-9_-]*[a-z0-9]$
^((?!--).)*$
^(?!\s*$).+
^(['"]).*\1$
^(\w+)-\1$
^\w+\b$
\bfoo\b`.split('\n'),
)('the ordinary pattern %s is not reported', (pattern) => {
  expect(findings(pattern)).toEqual([])
})
