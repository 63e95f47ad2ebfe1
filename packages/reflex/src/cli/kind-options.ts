import { Option } from 'commander'
import type { BuiltInKinds } from '../app/options.ts'
import type { RunOptionsByKind } from '../app/options-by-kind.ts'
import { faults } from '../runs/faults.ts'
import { RUN_FLAGS } from './kind-flags.ts'
import type { RunOption } from '../programs/run-options.ts'
import { quote } from '../text/index.ts'

/** The options of `run` that flags stand for, by kind. Throws `R2031` for a word that a flag does not take. */
export function kindOptions(flags: Readonly<Record<string, unknown>>): RunOptionsByKind<BuiltInKinds> {
  const kinds = Object.entries(RUN_FLAGS).flatMap(([kind, table]) => {
    const given = Object.entries(table).flatMap(([name, option]) => {
      const value = flags[new Option(option.flag).attributeName()]
      const isGiven = option.type === 'off' ? value === false : value !== undefined
      return isGiven ? [[name, typeof value === 'string' ? readValue(value, option) : value] as const] : []
    })
    return given.length === 0 ? [] : [[kind, Object.fromEntries(given)] as const]
  })
  return Object.fromEntries(kinds)
}

function readValue(word: string, { flag, type }: RunOption): string | number {
  if (typeof type !== 'string') return readChoice(word, flag, type)
  return type === 'count' ? readCount(word, flag) : word
}

function readCount(word: string, flag: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw faults.make('R2031', `${flag} ${quote(word)} is not a count`, { fix: `write ${flag} 500` })
}

function readChoice(word: string, flag: string, words: readonly string[]): string {
  if (words.includes(word)) return word
  throw faults.make('R2031', `${flag} ${quote(word)} is not known; it is ${words.join(' or ')}`, { fix: `write ${flag} ${words[1] ?? ''}` })
}
