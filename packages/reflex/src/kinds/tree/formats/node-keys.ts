import { type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote, suggest, didYouMean } from '../../../text/index.ts'
import type { NodeManifest, Parameter } from '../manifest/manifest.ts'
import { normaliseContract } from './contract-source.ts'
import type { Findings } from './findings.ts'
import type { FunctionNames } from './function-names.ts'
import { asObject, isPlain, judgeJson, judgeValue, type Judged, type Mistake } from './parameter-values.ts'
import { type Origin, type RawKeys, type RawNode, REFUSED, typeName } from './raw.ts'

/** The conditions that every node can have, before it and after it. */
export const PRE_CONDITIONS = ['skip_if', 'success_if', 'failure_if', 'while'] as const
export const POST_CONDITIONS = ['on_success', 'on_failure', 'on_halted', 'after'] as const

const TEXTS = ['id', 'name', 'description'] as const
/** The keys that every node can have. */
export const COMMON_KEYS: readonly string[] = [...TEXTS, 'metadata', 'contract', ...PRE_CONDITIONS, ...POST_CONDITIONS]

/** Names of keys that cannot be written in Lua without brackets. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([['while_', 'while']])

/** The meaning of the keys of a node. */
export interface NodeKeys {
  readonly id?: string
  readonly name?: string
  readonly description?: string
  readonly metadata?: JsonObject
  readonly params: JsonObject
}

/** Reads the keys of one node: the common ones, then its parameters, each in its normal form. */
export class KeyReader {
  readonly #manifest: NodeManifest
  readonly #origin: Origin
  readonly #label: string
  readonly #findings: Findings
  readonly #functions: FunctionNames | undefined
  readonly #params: Record<string, Json>
  readonly #rest: [string, unknown][] = []
  /** The parameters that have a value, each with the key that gave it, also where the value was refused. */
  readonly #given = new Map<string, string>()

  constructor(manifest: NodeManifest, implied: JsonObject, node: RawNode, findings: Findings, functions?: FunctionNames) {
    this.#manifest = manifest
    this.#origin = node.origin
    this.#label = labelOf(node)
    this.#findings = findings
    this.#functions = functions
    this.#params = { ...implied }
    for (const name of Object.keys(implied)) this.#given.set(name, name)
  }

  read(keys: RawKeys): NodeKeys {
    const made: { id?: string; name?: string; description?: string; metadata?: JsonObject } = {}
    for (const [spelled, given] of withCondition(keys, this.#manifest)) {
      const key = SPELLINGS.get(spelled) ?? spelled
      // Nothing is a value of JSON, and of no other parameter.
      if (given === undefined || (given === null && this.#parameter(key, given)?.type !== 'json')) continue
      if (given === REFUSED) this.#given.set(key, key)
      else if (this.#isParameter(key)) this.#readParameter(key, given)
      else if (isText(key)) {
        if (typeof given === 'string') made[key] = given
        else this.#wrong(key, { mistake: `must be a text, found ${typeName(given)}` })
      } else if (key === 'metadata') {
        const judged = judgeJson(given)
        const metadata = 'value' in judged ? asObject(judged.value) : undefined
        if (metadata === undefined) this.#wrong(key, { mistake: `must be a table, found ${typeName(given)}` })
        else made.metadata = metadata
      } else if (!this.#readCondition(key, given)) this.#readUnknown(key, given)
    }
    this.#addRest()
    this.#checkRequired()
    return { ...made, params: this.#params }
  }

  #isParameter(key: string): boolean {
    return this.#manifest.parameters.some(({ name, aliases = [] }) => name === key || aliases.includes(key))
  }

  /** Finds the parameter of a key. An alias that two parameters have means the one whose form the value has. */
  #parameter(key: string, given: unknown): Parameter | undefined {
    const own = this.#manifest.parameters.find(({ name }) => name === key)
    if (own !== undefined) return own
    const meant = this.#manifest.parameters.filter(({ aliases = [] }) => aliases.includes(key))
    return meant.find(({ type }) => (type === 'map') === isPlain(given)) ?? meant[0]
  }

  #readParameter(key: string, given: unknown): void {
    const parameter = this.#parameter(key, given)
    if (parameter === undefined) return
    const before = this.#given.get(parameter.name)
    if (before !== undefined) {
      const which = before === key ? `${key} twice` : `${before} and ${key}, which mean the same`
      this.#findings.wrong(this.#origin, `${this.#label} has ${which}`, { key, fix: 'remove one of them' })
      return
    }
    this.#given.set(parameter.name, key)
    const judged = judgeValue(parameter, given, this.#functions)
    if ('mistake' in judged) this.#wrong(key, judged)
    else {
      if (judged.warning !== undefined) {
        const fix = `write ${parameter.name}_ms, or seconds`
        this.#findings.suspect(this.#origin, `${key} of ${this.#label} ${judged.warning}`, { key, fix })
      }
      this.#params[parameter.name] = judged.value
    }
  }

  #readCondition(key: string, given: unknown): boolean {
    if (key === 'contract') {
      const contract = normaliseContract(given, this.#origin, this.#findings)
      if (contract !== undefined) this.#params.contract = contract
      return true
    }
    const isPre = PRE_CONDITIONS.some((name) => name === key)
    if (!isPre && !POST_CONDITIONS.some((name) => name === key)) return false
    const judged = isPre ? judgeValue({ name: key, type: 'expression', doc: '' }, given) : judgeAssignments(given)
    if ('mistake' in judged) this.#wrong(key, judged)
    else this.#params[key] = judged.value
    return true
  }

  #readUnknown(key: string, given: unknown): void {
    const { lua, parameters } = this.#manifest
    if (lua?.rest !== undefined) {
      this.#rest.push([key, given])
      return
    }
    const known = [...parameters.flatMap(({ name, aliases = [] }) => [name, ...aliases]), ...COMMON_KEYS]
    const guess = suggest(key, known)
    const fix = guess === undefined ? 'remove it' : `write ${guess}`
    this.#findings.suspect(this.#origin, `${this.#label} has no parameter ${quote(key)}; it has no effect`, {
      key,
      note: didYouMean(guess),
      fix,
    })
  }

  /** Adds the keys that are no parameters to the parameter that takes the rest. */
  #addRest(): void {
    const { rest } = this.#manifest.lua ?? {}
    if (rest === undefined || this.#rest.length === 0) return
    const judged = judgeJson(Object.fromEntries(this.#rest))
    if ('mistake' in judged) this.#wrong(this.#rest[0]?.[0] ?? rest, judged)
    else this.#params[rest] = { ...asObject(this.#params[rest]), ...asObject(judged.value) }
  }

  #checkRequired(): void {
    for (const { name, required, aliases = [], doc } of this.#manifest.parameters) {
      if (required !== true || this.#given.has(name)) continue
      const also = aliases.length === 0 ? '' : ` (or ${aliases.join(', ')})`
      this.#findings.wrong(this.#origin, `${this.#label} has no ${name}${also}`, { fix: `add ${name}: ${doc}` })
    }
  }

  #wrong(key: string, judged: Mistake): void {
    const message = judged.mistake.startsWith('.') ? `${key}${judged.mistake}` : `${key} ${judged.mistake}`
    const details = { key, fix: judged.fix, note: judged.note }
    if (judged.leadsOut === true) this.#findings.escape(this.#origin, `${message} (${this.#label})`, details)
    else this.#findings.wrong(this.#origin, `${message} (${this.#label})`, details)
  }
}

/** The name of a node in messages: its type as it is spelled, and its id if it has one. */
export function labelOf({ type, keys }: RawNode): string {
  const id = keys.get('id')
  return typeof id === 'string' ? `${type} ${quote(id)}` : type
}

function isText(key: string): key is (typeof TEXTS)[number] {
  return TEXTS.some((name) => name === key)
}

/** Makes one condition of `fn` and `args` beside each other, for nodes that have a condition and no such parameters. */
function withCondition(keys: RawKeys, { parameters }: NodeManifest): RawKeys {
  const condition = parameters.find(({ type }) => type === 'condition')
  if (condition === undefined || !keys.has('fn') || parameters.some(({ name }) => name === 'fn')) return keys
  const { fn, args, inputs, ...others } = Object.fromEntries(keys)
  const made = { fn, ...(args === undefined ? {} : { args }), ...(inputs === undefined ? {} : { inputs }) }
  return new Map([...Object.entries(others), [condition.name in others ? 'fn' : condition.name, made]])
}

/** Judges what is written after a node: a map of keys to expressions. */
function judgeAssignments(given: unknown): Judged {
  if (!isPlain(given)) return { mistake: `must map keys to expressions of Lua, found ${typeName(given)}` }
  const made: [string, Json][] = []
  for (const [key, expression] of Object.entries(given)) {
    const judged = judgeValue({ name: key, type: 'expression', doc: '' }, expression)
    if ('mistake' in judged) return { ...judged, mistake: `.${key} ${judged.mistake}` }
    made.push([key, judged.value])
  }
  return { value: Object.fromEntries(made) }
}
