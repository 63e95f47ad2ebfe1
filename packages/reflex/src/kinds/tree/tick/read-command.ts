import { type Fault, isFault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote, suggest } from '../../../text/index.ts'
import { textOf } from '../model/text-of.ts'
import { faults } from '../model/faults.ts'
import { breakCondition } from './break-condition.ts'
import { type DebugWord, isDebugWord } from './debug-words.ts'
import { readReload, type ReloadRequest } from './reload-request.ts'

/** A command to the run of a tree: it debugs the tree, stops its execution, or replaces it. */
export type TreeCommand =
  | { readonly do: 'break'; readonly node: string; readonly when?: string }
  | { readonly do: 'unbreak' | 'enable' | 'disable' | 'unforce'; readonly node: string }
  | { readonly do: 'force'; readonly node: string; readonly as: DebugWord }
  | { readonly do: 'clear' | 'step' | 'pause' | 'resume' | 'tick' }
  | { readonly do: 'cancel'; readonly reason?: string }
  | { readonly do: 'interrupt'; readonly node?: string; readonly reason: string }
  | { readonly do: 'reload'; readonly reload: ReloadRequest }
  /** A new version could not be read: an event says so. */
  | { readonly do: 'refused'; readonly facts: JsonObject }

const PLAIN = ['clear', 'step', 'pause', 'resume', 'tick'] as const
const OF_NODE = ['unbreak', 'enable', 'disable', 'unforce'] as const
const WORDS = ['break', 'force', 'cancel', 'interrupt', ...PLAIN, ...OF_NODE]

/**
 * Reads a command: an object, or its text: `break NODE`, `break NODE when CONDITION`, `unbreak NODE`, `enable NODE`, `disable NODE`, `clear`,
 * `step`, `pause`, `resume`, `tick`, `force NODE success|failure|running`, `unforce NODE`, `cancel REASON`, `interrupt NODE REASON`. Returns `R1216`, or `R1217` for a
 * reload, if it is none.
 */
export function readCommand(given: Json): TreeCommand | Fault {
  const command = typeof given === 'string' ? fromText(given) : isObject(given) ? given : {}
  const { do: word, node, as, when, reason } = command
  if (word === 'reload') {
    const reload = readReload(command.reload)
    return isFault(reload) ? reload : { do: word, reload }
  }
  if (word === 'refused') {
    const { do: _, ...facts } = command
    return { do: word, facts }
  }
  if (word === 'cancel') return { do: word, ...(typeof reason === 'string' && reason !== '' ? { reason } : {}) }
  if (word === 'interrupt') {
    const said = typeof reason === 'string' && reason !== '' ? reason : 'user_request'
    return { do: word, reason: said, ...(typeof node === 'string' && node !== '' ? { node } : {}) }
  }
  const plain = PLAIN.find((one) => one === word)
  if (plain !== undefined) return { do: plain }
  const ofNode = OF_NODE.find((one) => one === word)
  const isForced = word === 'force'
  if (word !== 'break' && !isForced && ofNode === undefined) return notUnderstood(given, suggestion(word))
  if (typeof node !== 'string' || node === '') return notUnderstood(given, `write ${textOf(word)} NODE`)
  if (ofNode !== undefined) return { do: ofNode, node }
  if (isForced) return isDebugWord(as) ? { do: 'force', node, as } : notUnderstood(given, `write force ${node} success, failure or running`)
  if (typeof when !== 'string' || when === '') return { do: 'break', node }
  const condition = breakCondition(when)
  return typeof condition === 'string'
    ? notUnderstood(given, `write a condition such as bb.count > 3: ${condition}`)
    : { do: 'break', node, when }
}

function fromText(text: string): JsonObject {
  const [word = '', node = '', ...rest] = text.trim().split(/\s+/)
  if (word === 'cancel') return { do: word, reason: [node, ...rest].join(' ') }
  if (word === 'interrupt') return { do: word, node, reason: rest.join(' ') }
  if (word === 'force') return { do: word, node, as: rest[0] ?? '' }
  if (word === 'break' && rest[0] === 'when') return { do: word, node, when: rest.slice(1).join(' ') }
  return { do: word, node }
}

function suggestion(word: Json | undefined): string {
  const guess = typeof word === 'string' ? suggest(word, WORDS) : undefined
  return guess === undefined ? `write one of ${WORDS.join(', ')}` : `write ${guess}`
}

export function notUnderstood(given: Json, fix: string): Fault {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return faults.make('R1216', `${quote(text)} is not a command for a tree`, { fix })
}
