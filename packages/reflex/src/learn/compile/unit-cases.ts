import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { FilledRow, MinedPattern } from '../mine/pattern.ts'
import { plainArguments } from '../mine/verify.ts'

/** A generated test of a skill: an occurrence that was not used to find it, played again (reference skill 1.23). */
export interface UnitCase {
  readonly name: string
  readonly turn: {
    readonly user: string
    readonly blackboard: JsonObject
    readonly principal: { readonly roles: readonly string[] }
    readonly facts: JsonObject
    readonly now: string
  }
  readonly propose: { readonly inputs: JsonObject }
  readonly tools: readonly {
    readonly tool: string
    readonly match: { readonly args: Json }
    readonly result: Json
    readonly latency_ms: number
    readonly times: number
  }[]
  readonly functions: JsonObject
  readonly expect: {
    readonly verdict: 'approved'
    readonly status: 'ok'
    readonly calls: readonly { readonly tool: string; readonly args: Json }[]
    readonly outputs: JsonObject
    readonly writes: JsonObject
    readonly compensations: readonly string[]
  }
}

/** The time of generated cases: no case may depend on the day on which it was generated. */
const NOW = '2026-01-01T00:00:00Z'

/** Returns the path of a generated case in the folder of its skill. Drafts share a folder, so the path has the id. */
export function casePath(id: string, number: number): string {
  return `tests/${id}/mined_${number}.json`
}

/** Returns the generated cases of a skill, by their paths in its folder. A command line is a list of words in them. */
export function unitCases(id: string, pattern: MinedPattern): readonly (readonly [path: string, unit: UnitCase])[] {
  return pattern.heldBack.map((row, i) => [casePath(id, i + 1), unitCase(pattern, row, `mined_${i + 1}`)])
}

function unitCase(pattern: MinedPattern, { row, slots }: FilledRow, name: string): UnitCase {
  const named = pattern.slots.flatMap(({ name: slot, type, origin }, i): (readonly [string, Json])[] => {
    if (origin === 'board') return []
    const value = type === 'secret_ref' ? `vault://${slot}` : slotValue(slots[i], type)
    return value === undefined ? [] : [[slot, value]]
  })
  const calls = row.tools.map((tool, i) => ({ tool, args: plainArguments(row.args[i] ?? null) }))
  return {
    name,
    turn: {
      user: row.userText,
      blackboard: boardOf(row.facts),
      principal: { roles: [] },
      facts: { ...pattern.labels },
      now: NOW,
    },
    propose: { inputs: Object.fromEntries(named) },
    tools: calls.map(({ tool, args }, i) => ({
      tool,
      match: { args },
      result: row.results[i] ?? null,
      latency_ms: Math.round(pattern.times[i]?.median ?? 0),
      times: 1,
    })),
    functions: {},
    expect: { verdict: 'approved', status: 'ok', calls, outputs: {}, writes: {}, compensations: [] },
  }
}

/** Returns a value as a caller gives it: a number of a command line is a number. */
function slotValue(value: Json | undefined, type: string): Json | undefined {
  return type === 'integer' && typeof value === 'string' ? Number(value) : value
}

/** Returns the blackboard with the facts that were known. */
function boardOf(facts: ReadonlyMap<string, Json>): JsonObject {
  const board: Record<string, Json> = { ctx: {}, work: {} }
  for (const [path, value] of facts) {
    const keys = path.split('.')
    let at = board
    for (const key of keys.slice(0, -1)) {
      const inner = Object.hasOwn(at, key) && isObject(at[key]) ? { ...at[key] } : {}
      at[key] = inner
      at = inner
    }
    at[keys.at(-1) ?? ''] = value
  }
  return board
}
