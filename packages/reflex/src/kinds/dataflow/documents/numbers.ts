import type { Fault } from '../../../kernel/index.ts'
import type { JsonText, Locator, Path } from '../../../text/index.ts'
import { bindParameter, isUnsafeInteger, MAX_INT } from '../manifests/bind-parameter.ts'
import { documentFaults } from './faults.ts'

/**
 * Finds the numbers of a text that a double cannot hold as they are written: integers beyond 2^53, and fractions that are read as an
 * integer. `JSON.parse` has already rounded them, so only the text shows it (rule X.11). `1e16` is a measurement and stays.
 */
export function findRoundedNumbers(json: JsonText, locate: Locator): Fault[] {
  // Up to 15 digits, a double holds every decimal.
  if (!/\d[\d.]{15}/.test(json.source.text)) return []
  const found: Fault[] = []
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'number' && Number.isInteger(value) && path[0] !== 'version') {
      const { offset, length } = json.place(path)
      const text = json.source.text.slice(offset, offset + length)
      if (isRounded(value, text)) found.push(rounded(value, text, path, locate))
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, Array.isArray(value) ? Number(key) : key])
    }
  }
  visit(json.value, [])
  return found
}

function isRounded(value: number, text: string): boolean {
  if (isUnsafeInteger(text)) return true
  const bound = bindParameter({ type: 'Int' }, value, text)
  return 'problem' in bound && (bound.problem.rule === 'I.4' || Math.abs(value) === MAX_INT)
}

function rounded(value: number, text: string, path: Path, locate: Locator): Fault {
  const shown = text.length > 40 ? `${text.slice(0, 20)}…${text.slice(-20)}` : text
  const fix = Math.abs(value) < MAX_INT ? `write ${value}` : `write a number from -${MAX_INT} to ${MAX_INT}, or one with an exponent`
  return documentFaults.finding('R1302', `${shown} is read as ${value}`, { rule: 'X.11', ...locate(path), fix })
}
