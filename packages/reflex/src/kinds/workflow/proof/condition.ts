import type { BlackboardEntry, BlackboardReader, BuiltinGuard, CelGuard, Edge } from '../types/index.ts'
import { guardExpression } from '../guards/cel-guard.ts'
import { ABSENT, type Claim, claimOf, claimOneOf, complement } from './claim.ts'
import type { Claims, Domains } from './demand.ts'
import type { ExpressionRead, StepBudget } from '../../../text/index.ts'
import type { Json } from '../../../kernel/index.ts'

/** The states in which an edge is open, closed (`shut`), or its guard fails: each a choice of claims. */
export interface Condition {
  readonly open: readonly Claims[]
  readonly shut: readonly Claims[]
  readonly fails: readonly Claims[]
}

/** An edge whose states cannot be determined before a run, with the reason. */
export interface Undecided {
  readonly why: string
  /** Keys without which the edge is probably not open, because its expression fails. */
  readonly needs: readonly string[]
}

const ALWAYS: Condition = { open: [new Map()], shut: [], fails: [] }
/** The limit of states of an expression's keys that are tried. */
const MOST_STATES = 4096
/** The limit of steps of an expression in all states together, and the number of steps that count as one more state. */
const MOST_STEPS = 100_000
const STEPS_OF_STATE = 10
/** The limit of claims in one condition. */
const MOST_CHOICES = 256

/** Returns the condition of an edge over board keys with known domains. */
export function conditionOf({ guard }: Edge, domains: Domains, trial: Trial): Condition | Undecided {
  if (guard === undefined) return ALWAYS
  if (guard.type === 'custom') return { why: 'a function decides', needs: [] }
  return guard.type === 'cel' ? expressionCondition(guard, domains, trial) : builtinCondition(guard)
}

export function isDecided(condition: Condition | Undecided): condition is Condition {
  return 'open' in condition
}

/** The access to expressions, and the budget of states. */
export interface Trial {
  /** Returns the reads of the board in an expression. */
  readsOf(guard: CelGuard): readonly ExpressionRead[]
  /** True if this many more states may be tried. */
  spend(states: number): boolean
}

function builtinCondition(guard: BuiltinGuard): Condition {
  const claim = claimOf(guard)
  return { open: [new Map([[guard.key, claim]])], shut: [new Map([[guard.key, complement(claim)]])], fails: [] }
}

/** Tries every state of the keys that an expression reads. */
function expressionCondition(guard: CelGuard, domains: Domains, trial: Trial): Condition | Undecided {
  const reads = trial.readsOf(guard)
  const undecided = (why: string): Undecided => ({
    why,
    needs: [...new Set(reads.flatMap(({ key, isOptional }) => (isOptional ? [] : (key ?? []))))],
  })
  if (reads.some(({ key }) => key === undefined)) return undecided(`${guard.expr} reads the whole board`)
  const keys = [...new Set(reads.flatMap(({ key }) => key ?? []))]
  const choices: (readonly (Json | undefined)[])[] = []
  let states = 1
  for (const key of keys) {
    const { values } = domains(key)
    if (values === undefined) return undecided(`the possible values of ${key} are unknown or too many`)
    choices.push([undefined, ...values.values()])
    states *= values.size + 1
    if (states > MOST_STATES) return undecided(`${guard.expr} has too many states to try`)
  }
  if (!trial.spend(states)) return undecided('too many states were tried before')
  const budget: StepBudget = { left: MOST_STEPS }
  const found: Record<'open' | 'shut' | 'fails', Claims[]> = { open: [], shut: [], fails: [] }
  const last = keys.at(-1)
  for (const outer of statesOf(keys.slice(0, -1), choices.slice(0, -1))) {
    const answers = { open: [] as (Json | undefined)[], shut: [] as (Json | undefined)[], fails: [] as (Json | undefined)[] }
    for (const value of last === undefined ? [undefined] : (choices.at(-1) ?? [])) {
      const state = last === undefined || value === undefined ? outer : new Map([...outer, [last, value]])
      answers[evaluateGuard(guard, state, budget)].push(value)
      if (budget.left > 0) continue
      trial.spend(MOST_STEPS / STEPS_OF_STATE)
      return undecided(`${guard.expr} takes too many steps to try`)
    }
    for (const answer of ['open', 'shut', 'fails'] as const) {
      if (answers[answer].length === 0) continue
      const claims = new Map<string, Claim>(
        keys.slice(0, -1).map((key) => [key, outer.has(key) ? claimOneOf([outer.get(key) ?? null]) : ABSENT]),
      )
      if (last !== undefined) claims.set(last, claimOfValues(answers[answer]))
      found[answer].push(claims)
    }
  }
  trial.spend(Math.floor((MOST_STEPS - budget.left) / STEPS_OF_STATE))
  if (Math.max(found.open.length, found.shut.length, found.fails.length) > MOST_CHOICES)
    return undecided(`${guard.expr} has too many states to try`)
  return found
}

function claimOfValues(values: readonly (Json | undefined)[]): Claim {
  const present = values.filter((value) => value !== undefined)
  return claimOneOf(present, present.length < values.length)
}

function* statesOf(keys: readonly string[], choices: readonly (readonly (Json | undefined)[])[]): Generator<ReadonlyMap<string, Json>> {
  const at = keys.map(() => 0)
  for (;;) {
    const state = new Map<string, Json>()
    for (const [i, key] of keys.entries()) {
      const value = choices[i]?.[at[i] ?? 0]
      if (value !== undefined) state.set(key, value)
    }
    yield state
    let digit = at.length - 1
    while (digit >= 0 && (at[digit] ?? 0) + 1 >= (choices[digit]?.length ?? 0)) at[digit--] = 0
    if (digit < 0) return
    at[digit] = (at[digit] ?? 0) + 1
  }
}

function evaluateGuard(guard: CelGuard, state: ReadonlyMap<string, Json>, budget: StepBudget): 'open' | 'shut' | 'fails' {
  const answer = guardExpression(guard).expression?.evaluate(boardOf(state), budget)
  if (answer?.ok !== true || typeof answer.value !== 'boolean') return 'fails'
  return answer.value ? 'open' : 'shut'
}

const NO_SOURCE = { workflowId: '', nodeId: '', stackDepth: 0 }

/** Returns a board that has a state. */
export function boardOf(state: ReadonlyMap<string, unknown>): BlackboardReader {
  const entry = (key: string): BlackboardEntry => ({ key, value: state.get(key), source: NO_SOURCE, timestamp: 0 })
  const entries = (): BlackboardEntry[] => [...state.keys()].map(entry)
  return {
    get: (key) => state.get(key),
    has: (key) => state.has(key),
    getAll: (key) => (state.has(key) ? [entry(key)] : []),
    entries,
    keys: () => [...state.keys()],
    local: entries,
  }
}
