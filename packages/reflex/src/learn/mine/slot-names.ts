import { isObject, type Json } from '../../kernel/index.ts'
import { formWords } from './argument-form.ts'
import { flagName } from '../shapes/operation-shape.ts'
import type { Row } from './rows.ts'
import type { PatternTemplate } from './template.ts'

/** Words that name a root of templates. */
const ROOTS: readonly string[] = ['ctx', 'env', 'work', 'policy', 'steps', 'exec']
const LONGEST = 48

/**
 * Returns the names of slots: that of the flag or of the argument at which each is used first; on a clash with the sub-command or the tool
 * before it, else with a number.
 */
export function slotNames({ slots, places }: PatternTemplate, row: Row): readonly string[] {
  const names: string[] = []
  for (const [i, { leaf }] of slots.entries()) {
    const { step = 0, path = [] } = places[leaf] ?? {}
    const args = row.args[step] ?? null
    const plain = snake(labelOf(path, args)) || `arg_${i + 1}`
    const qualified = snake(`${contextOf(args, row.tools[step] ?? '')}_${plain}`)
    const free = [plain, qualified].find((name) => isName(name) && !names.includes(name))
    names.push(free ?? numbered(isName(plain) ? plain : `arg_${i + 1}`, names))
  }
  return names
}

/** Returns the last key of a path; of a word of a command line, its flag. */
function labelOf(path: readonly (string | number)[], args: Json): string {
  const [field = ''] = path
  const words = isObject(args) ? formWords(args[field] ?? null) : undefined
  const at = path.at(-1)
  if (words === undefined || typeof at !== 'number') return path.filter((part) => typeof part === 'string').at(-1) ?? ''
  const [own, before] = [words[at], words[at - 1]]
  if (typeof own === 'string' && flagName(own)[0] !== undefined) return flagName(own)[0] ?? ''
  return typeof before === 'string' ? (flagName(before)[0] ?? '') : ''
}

/** Returns the last sub-command of a command line, or the last part of the name of a tool. */
function contextOf(args: Json, tool: string): string {
  const words = isObject(args) ? Object.values(args).flatMap((value) => formWords(value) ?? []) : []
  const commands = words.filter((word): word is string => typeof word === 'string')
  const end = commands.findIndex((word) => !/^[a-z][a-z0-9_-]*$/.test(word))
  return commands.slice(0, end < 0 ? commands.length : end).at(-1) ?? tool.split('.').at(-1) ?? ''
}

function snake(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/^[^a-z]+/, '')
    .split(/[^a-z0-9]/)
    .filter((part) => part !== '')
    .join('_')
    .slice(0, LONGEST)
}

function isName(name: string): boolean {
  return name !== '' && !ROOTS.includes(name)
}

function numbered(name: string, taken: readonly string[]): string {
  for (let i = 2; ; i++) {
    const candidate = `${name.slice(0, LONGEST - 4)}_${i}`
    if (!taken.includes(candidate)) return candidate
  }
}
