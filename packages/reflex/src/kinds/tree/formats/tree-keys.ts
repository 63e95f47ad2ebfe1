import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import type { BoardKey, TreeSource } from '../model/source.ts'
import type { Parameter } from '../manifest/manifest.ts'
import { normaliseContract } from './contract-source.ts'
import type { Findings } from './findings.ts'
import { isPlain, judgeJson, judgeValue } from './parameter-values.ts'
import { type Origin, RawNode, RawTree, typeName } from './raw.ts'

/** The settings of a tree that have one value each. */
export const TREE_SETTINGS: readonly Parameter[] = [
  { name: 'version', type: 'text', doc: 'The version, for references of the form tree:id@version.' },
  { name: 'description', type: 'text', doc: 'What the tree is for.' },
  { name: 'tick_budget', type: 'count', least: 1, default: 1000, doc: 'The most ticks of one event.' },
  {
    name: 'max_tick_duration_ms',
    type: 'ms',
    unit: 'ms',
    default: 60_000,
    aliases: ['max_running_duration_ms', 'max_tick_duration'],
    doc: 'The longest time that a node without a timeout may be RUNNING without progress.',
  },
  { name: 'max_execution_ms', type: 'ms', unit: 'ms', doc: 'The longest time of an execution. Default: none.' },
  { name: 'tick_every', type: 'ms', unit: 'ms', doc: 'Ticks the tree every so many milliseconds, besides events.' },
  { name: 'events', type: 'flag', doc: 'Whether a run takes events as long as it lasts. Default: if the tree reads `ctx.event`.' },
  {
    name: 'reload_policy',
    type: 'enum',
    values: { let_finish_then_swap: [], cancel_and_restart: [] },
    doc: 'How a new version replaces a tree that is RUNNING.',
  },
  {
    name: 'recovery_tree',
    type: 'tree',
    doc: 'The tree that runs after three failed executions in a minute of a tree that stays open, with `_failure_context`: the failures and values.',
  },
]

const OTHER_KEYS = ['root', 'on_failure', 'blackboard', 'board', 'contract', 'trees']

type Fields = Pick<
  TreeSource,
  | 'version'
  | 'description'
  | 'board'
  | 'contract'
  | 'tick_budget'
  | 'max_tick_duration_ms'
  | 'max_execution_ms'
  | 'tick_every'
  | 'events'
  | 'reload_policy'
  | 'recovery_tree'
>

/** The parts of a tree as its keys give them. */
export interface TreeKeys {
  readonly fields: Fields
  readonly root: RawNode | undefined
  readonly onFailure: RawNode | undefined
  readonly trees: readonly unknown[]
}

/** Reads the keys of a tree; its nodes and its other trees are left as they are written. */
export function readTreeKeys({ keys, origin }: RawTree, findings: Findings): TreeKeys {
  const fields: Record<string, unknown> = {}
  let root: RawNode | undefined
  let onFailure: RawNode | undefined
  let trees: readonly unknown[] = []
  for (const [key, given] of keys) {
    if (given === undefined || given === null) continue
    const setting = TREE_SETTINGS.find(({ name, aliases = [] }) => name === key || aliases.includes(key))
    if (setting !== undefined) readSetting(setting, key, given, fields, origin, findings)
    else if (key === 'root') root = nodeAt(key, given, origin, findings)
    else if (key === 'on_failure') onFailure = nodeAt(key, given, origin, findings)
    else if (key === 'contract') fields.contract = normaliseContract(given, origin, findings)
    else if (key === 'trees') trees = treesAt(given, origin, findings)
    else if (key === 'board' || key === 'blackboard') fields.board = boardOf(given, key, origin, findings)
    else unknownKey(key, origin, findings)
  }
  if (!keys.has('root')) findings.wrong(origin, 'the tree has no root', { fix: 'add root: the node that is ticked' })
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { fields: Object.fromEntries(present) as Fields, root, onFailure, trees }
}

function readSetting(
  parameter: Parameter,
  key: string,
  given: unknown,
  fields: Record<string, unknown>,
  origin: Origin,
  findings: Findings,
): void {
  const { name } = parameter
  const judged = judgeValue(parameter, given)
  if ('value' in judged) fields[name] = judged.value
  else if (judged.leadsOut === true) findings.escape(origin, `${key} of the tree ${judged.mistake}`, { key, fix: judged.fix })
  else {
    const fix =
      name === 'reload_policy' && given === 'immediate' ? 'write cancel_and_restart: a tree is never swapped inside a tick' : judged.fix
    findings.wrong(origin, `${key} of the tree ${judged.mistake}`, { key, fix, note: judged.note })
  }
}

function nodeAt(key: string, given: unknown, origin: Origin, findings: Findings): RawNode | undefined {
  if (given instanceof RawNode) return given
  const fix = given instanceof RawTree ? 'refer to a tree with BT.subtree_ref(name)' : 'write a node, such as BT.sequence({ … })'
  findings.wrong(origin, `${key} of the tree must be a node, found ${typeName(given)}`, { key, fix })
  return undefined
}

function treesAt(given: unknown, origin: Origin, findings: Findings): readonly unknown[] {
  const trees: readonly unknown[] = Array.isArray(given) ? given : isPlain(given) ? Object.values(given) : [given]
  for (const tree of trees) {
    if (!(tree instanceof RawTree)) findings.wrong(origin, `trees has an entry that is no tree: ${typeName(tree)}`, { key: 'trees' })
  }
  return trees
}

function unknownKey(key: string, origin: Origin, findings: Findings): void {
  const known = [...TREE_SETTINGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]), ...OTHER_KEYS]
  const guess = suggest(key, known)
  const fix = guess === undefined ? 'remove it' : `write ${guess}`
  findings.suspect(origin, `a tree has no key ${quote(key)}; it has no effect`, { key, note: didYouMean(guess), fix })
}

/** Returns the declared keys: a name of a schema, { type, default }, or any other literal, which is a first value with the schema `any`. */
function boardOf(given: unknown, name: string, origin: Origin, findings: Findings): Record<string, BoardKey> | undefined {
  if (!isPlain(given)) {
    findings.wrong(origin, `${name} must map keys to schemas, found ${typeName(given)}`, { key: name })
    return undefined
  }
  const board: [string, BoardKey][] = []
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith('_') || key.startsWith('@') || key === '') {
      findings.wrong(origin, `${quote(key)} cannot be declared: keys of a tree do not begin with ${key[0] ?? 'nothing'}`, { key: name })
      continue
    }
    const judged = judgeJson(value)
    if ('mistake' in judged) findings.wrong(origin, `${name}.${key} ${judged.mistake}`, { key: name, fix: judged.fix })
    else {
      const entry = boardKey(judged.value)
      if (entry === undefined) findings.wrong(origin, `${name}.${key}.type must be the name of a schema or a JSON Schema`, { key: name })
      else board.push([key, entry])
    }
  }
  return Object.fromEntries(board)
}

function boardKey(value: Json): BoardKey | undefined {
  if (typeof value === 'string') return { type: value }
  if (!isObject(value) || !isDeclaration(value)) return { default: value }
  const { type, default: first } = value
  if (type !== undefined && typeof type !== 'string' && !isObject(type)) return undefined
  return { ...(type === undefined ? {} : { type }), ...(first === undefined ? {} : { default: first }) }
}

function isDeclaration(value: JsonObject): boolean {
  const keys = Object.keys(value)
  return keys.every((key) => key === 'type' || key === 'default')
}
