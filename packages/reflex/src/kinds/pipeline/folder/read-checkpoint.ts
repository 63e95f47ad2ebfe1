import { copyJson, isList, isObject, type Json, type JsonObject, isFault } from '../../../kernel/index.ts'
import { isStripped, type InFlight, stripped } from './checkpoint.ts'
import { isSigned, type Secret } from './signature.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { type Outcome, readOutcome } from '../contract/outcome.ts'
import type { StoredRun } from '../engine/resuming.ts'
import { isEngineKey } from '../contract/inputs.ts'
import { renderText } from '../language/render.ts'

/** A checkpoint that was read: the state for a new run, and the facts that are compared before. */
export interface ReadCheckpoint {
  readonly storedRun: StoredRun
  readonly run: string | undefined
  readonly graphId: string | undefined
  readonly graphHash: string | undefined
  /** The pipeline after the changes of the run. */
  readonly graphDot: string | undefined
  /** True if the checkpoint was signed with the secret that it was read with. */
  readonly proven: boolean
  readonly inFlight: InFlight | undefined
}

export interface ReadCheckpointOptions {
  /** The path of the file, for messages and events. */
  readonly file: string
  /** The secret with which the checkpoint must be signed. Without it a signature is ignored. */
  readonly secret?: Secret | undefined
  /** Returns a large value that is in a file beside the checkpoint. */
  readonly artifact: (link: JsonObject) => Json
}

/**
 * Reads a checkpoint, also of another implementation: `context` is an alias of `context_values`, outcomes use `outcome`
 * or `status`, and other missing fields are derived or empty (reference pipeline 2.6, 28; 6.2). Throws `R2202` if it is
 * not signed with the secret and `R2203` if it is not a checkpoint.
 */
export function readCheckpoint(text: string, { file, secret, artifact }: ReadCheckpointOptions): ReadCheckpoint {
  const stored = jsonOf(text, file)
  if (secret !== undefined && !isSigned(stored, secret))
    throw pipelineFaults.make('R2202', `${file} is not signed with this secret, or was changed after it was signed`, {
      file,
      rule: 'tampered',
    })
  const current = stored['current_node']
  if (typeof current !== 'string' || current === '') throw unusable(file, 'it has no current_node')
  const restore = (values: JsonObject): JsonObject => restored(values, artifact)
  const outcomes = outcomesOf(stored['node_outcomes'], restore)
  const completed = texts(stored['completed_nodes'])
  const { repeated_failure: repeated, repeated_restart: restarts } = stored
  const storedRun: StoredRun = {
    checkpoint: file,
    current_node: current,
    completed: completed.includes(current) ? completed : [...completed, current],
    outcomes,
    context: contextOf(stored, restore),
    lineage: object(stored['context_lineage']),
    logs: isList(stored['logs']) ? stored['logs'] : [],
    retries: numbers(stored['node_retries']),
    visits: numbers(stored['visits']),
    hashes: strings(stored['content_hashes']),
    jumps: numbers(stored['jumps']),
    pending: texts(stored['pending']),
    recheck: texts(stored['gates_recheck']),
    gates: gatesOf(stored['gates_in_branches']),
    taint: object(stored['context_taint']),
    round: count(stored['iteration']),
    returns: count(stored['goal_gate_returns']),
    ...(isList(repeated) ? { repeated: [renderText(repeated[0]), count(repeated[1])] as const } : {}),
    ...(isList(restarts) ? { restarts: [renderText(restarts[0]), count(restarts[1])] as const } : {}),
    ...spentOf(stored['budget']),
  }
  return {
    storedRun,
    run: textOf(stored['run_id']),
    graphId: textOf(stored['graph_id']),
    graphHash: textOf(stored['graph_hash']),
    graphDot: textOf(stored['graph_dot']),
    proven: secret !== undefined,
    inFlight: inFlightOf(stored['in_flight']),
  }
}

export function unusable(file: string, why: string, fix?: string): Error {
  return pipelineFaults.make('R2203', `${file} cannot be resumed from: ${why}`, { file, ...(fix === undefined ? {} : { fix }) })
}

function jsonOf(text: string, file: string): JsonObject {
  let value: Json
  try {
    value = copyJson(JSON.parse(text), file)
  } catch (thrown) {
    if (isFault(thrown)) throw thrown
    throw unusable(file, 'it is not JSON')
  }
  if (!isObject(value)) throw unusable(file, 'it is not an object')
  return value
}

/** Returns the context without the keys that the engine sets itself. */
function contextOf(stored: JsonObject, restore: (values: JsonObject) => JsonObject): JsonObject {
  const values = object(stored['context_values'] ?? stored['context'])
  const isSimulation = (key: string): boolean => key.startsWith('internal.simulate.')
  const entries = Object.entries(restore(values)).filter(([key]) => isSimulation(key) || !(isEngineKey(key) || isStripped(key)))
  return Object.fromEntries(entries)
}

function outcomesOf(stored: Json | undefined, restore: (values: JsonObject) => JsonObject): Readonly<Record<string, Outcome>> {
  const entries = Object.entries(object(stored)).flatMap(([id, value]): [string, Outcome][] => {
    // A map of words, `{"plan": "success"}`, is a map of outcomes as well.
    const outcome = readOutcome(typeof value === 'string' ? { status: value } : value)
    if (outcome === undefined) return []
    const { context_updates: updates } = outcome
    const own = isObject(value) ? value : {}
    return [
      [
        id,
        {
          ...outcome,
          ...(updates === undefined ? {} : { context_updates: stripped(restore(updates)) }),
          ...(typeof own['edge'] === 'number' ? { edge: own['edge'] } : {}),
          ...(typeof own['join'] === 'string' ? { join: own['join'] } : {}),
        },
      ],
    ]
  })
  return Object.fromEntries(entries)
}

function restored(values: JsonObject, artifact: (link: JsonObject) => Json): JsonObject {
  const entries = Object.entries(values).map(([key, value]): [string, Json] => {
    const link = isObject(value) ? value['$artifact'] : undefined
    return [key, isObject(link) ? artifact(link) : value]
  })
  return Object.fromEntries(entries)
}

const CLASSES = ['idempotent', 'idempotent_with_key', 'side_effecting', 'read_only'] as const

function inFlightOf(value: Json | undefined): InFlight | undefined {
  if (!isObject(value) || typeof value['node_id'] !== 'string') return undefined
  const idempotency = CLASSES.find((one) => one === value['idempotency']) ?? 'side_effecting'
  return { node_id: value['node_id'], attempt: Math.max(1, count(value['attempt'])), idempotency }
}

/** Returns the usage. It drops raised budgets: people granted them to the earlier run, and the new run asks again. */
function spentOf(value: Json | undefined): Pick<StoredRun, 'spent'> {
  const { tokens, cost, calls, steps, uses } = object(value)
  const isKnown = [tokens, cost, calls].some((one) => typeof one === 'number')
  if (!isKnown) return {}
  return { spent: { tokens: count(tokens), cost: count(cost), calls: count(calls), steps: count(steps), uses: numbers(uses) } }
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function texts(value: Json | undefined): string[] {
  return isList(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function gatesOf(value: Json | undefined): StoredRun['gates'] {
  const entries = Object.entries(object(value)).flatMap(([id, place]): [string, readonly [number, number]][] =>
    isList(place) ? [[id, [count(place[0]), count(place[1])]]] : [],
  )
  return Object.fromEntries(entries)
}

function numbers(value: Json | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(object(value)).flatMap(([key, one]) => (typeof one === 'number' ? [[key, one]] : [])))
}

function strings(value: Json | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object(value)).flatMap(([key, one]) => (typeof one === 'string' ? [[key, one]] : [])))
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value >= 0 ? value : 0
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
