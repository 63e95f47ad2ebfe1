import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { RunRestriction, RunSettings } from './settings.ts'

/** Settings as stored in the first record of a run. */
export interface StoredSettings extends Omit<RunSettings, 'simulated' | 'folder' | 'trust'> {
  readonly trust?: string
  /** Any value counts as true: the run is simulated. */
  readonly simulate?: true
  /** The proof that a user of this machine set the settings that give permissions. It is made with a secret that no store contains. */
  readonly proof?: { readonly nonce: string; readonly seal: string }
}

type Reading<Value> = (value: Json | undefined) => Value | undefined

const word: Reading<string> = (value) => (typeof value === 'string' ? value : undefined)
const amount: Reading<number> = (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined)
const yes: Reading<true> = (value) => (value === true ? true : undefined)
const object: Reading<JsonObject> = (value) => (isObject(value) ? value : undefined)
const words: Reading<readonly string[]> = (value) => (isList(value) && value.every(isWord) ? value : undefined)

function isWord(value: Json): value is string {
  return typeof value === 'string'
}

function oneOf<Word extends string>(...known: readonly Word[]): Reading<Word> {
  return (value) => known.find((one) => one === value)
}

function namedWords(value: Json | undefined): Readonly<Record<string, string>> | undefined {
  return isObject(value) && Object.values(value).every(isWord) ? (value as Readonly<Record<string, string>>) : undefined
}

/** Reads an object by its fields. Drops unknown fields and fields of another type. */
function fields<Value extends object>(readings: { readonly [Key in keyof Value]-?: Reading<NonNullable<Value[Key]>> }): Reading<Value> {
  const named = Object.entries<Reading<unknown>>(readings)
  return (value) => {
    if (!isObject(value)) return undefined
    const read = named.map(([key, reading]) => [key, reading(value[key])] as const)
    return Object.fromEntries(read.filter(([, field]) => field !== undefined)) as Value
  }
}

const restriction = fields<RunRestriction>({ file: (value) => word(value) ?? 'the policy', deny: words, ask: words, bounded: words })
const restrictions: Reading<readonly RunRestriction[]> = (value) =>
  isList(value) ? value.map(restriction).filter((one) => one !== undefined) : undefined

const form = fields<StoredSettings>({
  actor: (value) => word(value) ?? '',
  trust: word,
  workdir: (value) => word(value) ?? '',
  file: word,
  events: word,
  agent: fields({ default: word, perNode: namedWords, script: object, model: word, recorded: word }),
  agentId: word,
  restrictions,
  tools: words,
  limits: fields({ steps: amount, maxSteps: amount, time: amount, tokens: amount, cost: amount, depth: amount, branchSteps: amount }),
  simulate: (value) => (value === undefined ? undefined : true),
  routing: fields({ onUnroutedFailure: oneOf('fail', 'lenient'), deadEnd: oneOf('success', 'fail') }),
  persistArtifacts: yes,
  logs: fields({ folder: word, secret: word }),
  lowered: yes,
  decidedAfter: amount,
  raisedElsewhere: (value) => (isList(value) ? value.filter((record) => typeof record === 'number') : undefined),
  proof: (value) => {
    const { nonce, seal } = fields<{ nonce: string; seal: string }>({ nonce: word, seal: word })(value) ?? {}
    return nonce === undefined || seal === undefined ? undefined : { nonce, seal }
  },
})

/** Reads the settings of a record, which is not trusted. A setting of another type counts as absent. Never throws. */
export function readSettings(by: Json | undefined): StoredSettings | undefined {
  return form(by)
}
