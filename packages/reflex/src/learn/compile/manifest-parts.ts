import type { Json } from '../../kernel/index.ts'
import type { Compensation, Extractor, Manifest, PlanStep } from '../../kinds/skill/model/manifest.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { Slot } from '../../kinds/skill/model/slot.ts'
import type { MinedPattern } from '../mine/pattern.ts'
import { ArgumentWriter, capturePath, pathText, pointerText } from './step-arguments.ts'
import { compensationOf, isEffectful } from './undo.ts'

/** Milliseconds: the least time limit of a step, and the step to which limits are rounded up. */
const SHORTEST_TIMEOUT = 1_000
const ROUND = 100
const LONGEST_TIMEOUT = 600_000
/** A limit is so many times what 95 % of the occurrences took. */
const ROOM = 1.5
const MOST_LENGTH = 1_024

/** Returns the tool of a name; undefined for one that the host does not describe. */
export type FindTool = (name: string) => SkillTool | undefined

/** Returns the inputs. Their patterns are those of the values that were seen, with room. */
export function slotsOf({ slots }: MinedPattern): readonly Slot[] {
  return slots.map(({ name, type, pattern, origin }) => ({
    name,
    type,
    required: true,
    ...(pattern === undefined ? {} : { pattern }),
    maxLength: MOST_LENGTH,
    description: origin === 'user_text' ? 'as the user writes it' : '',
    sensitive: type === 'secret_ref',
  }))
}

/** Returns the paths of the blackboard that fill slots. */
export function bindingsOf({ slots }: MinedPattern): Readonly<Record<string, string>> {
  return Object.fromEntries(slots.flatMap(({ name, path }) => (path === undefined ? [] : [[name, path] as const])))
}

/** Returns the steps. A value inside a text of JSON is captured, because templates do not parse. */
export function stepsOf(pattern: MinedPattern): readonly PlanStep[] {
  const writer = new ArgumentWriter(pattern)
  const captures = capturesOf(pattern)
  return pattern.tools.map((tool, i) => {
    const { args, shell } = writer.step(i)
    return {
      id: `s${i}`,
      tool,
      args,
      timeout_ms: Math.min(LONGEST_TIMEOUT, Math.max(SHORTEST_TIMEOUT, roundUp(ROOM * (pattern.times[i]?.p95 ?? 0)))),
      guards: [],
      on_guard_false: 'stop',
      capture: Object.fromEntries(captures.flatMap(([step, path, extract]) => (step === i ? [[path, extract] as const] : []))),
      retry: { max: 0, backoff_ms: 0 },
      shell,
    }
  })
}

function capturesOf({ template }: MinedPattern): readonly (readonly [step: number, path: string, extract: Extractor])[] {
  return template.rules.flat().flatMap((piece) => {
    if (piece.kind !== 'result' || !piece.isParsed) return []
    return [[piece.step, capturePath(piece.step, piece.path), { json: true, pointer: pointerText(piece.path) }] as const]
  })
}

/** Returns the limits of the plan: room above what 95 % of the occurrences took. */
export function budgetOf({ costP95, msP95, times }: MinedPattern): Manifest['plan']['budget'] {
  const medians = times.reduce((sum, { median }) => sum + median, 0)
  const latency = Math.max(ROOM * msP95, medians * 2, SHORTEST_TIMEOUT, ...times.map(({ p95 }) => ROOM * p95))
  return { max_cost_usd: Math.ceil(ROOM * costP95 * 10_000) / 10_000, max_latency_ms: Math.min(LONGEST_TIMEOUT, roundUp(latency)) }
}

function roundUp(ms: number): number {
  return Math.ceil(ms / ROUND) * ROUND
}

/** The outputs of a skill with their templates. */
export interface Outputs {
  readonly outputs: Manifest['signature']['outputs']
  readonly resultMap: Readonly<Record<string, Json>>
}

/** Returns the outputs: what later calls used of the last result. */
export function outputsOf({ outputs, tools }: MinedPattern): Outputs {
  const named = new Map<string, (typeof outputs)[number]>()
  for (const output of outputs) {
    const last = output.path.filter((part) => typeof part === 'string').at(-1)
    const name = last
      ?.toLowerCase()
      .replace(/[^a-z0-9_]/g, '_')
      .replace(/^[_0-9]+/, '')
      .slice(0, 40)
    if (name !== undefined && name !== '' && !named.has(name)) named.set(name, output)
  }
  const entries = [...named]
  return {
    outputs: entries.map(([name, { facts }]) => ({ name, type: facts.type, sensitive: false })),
    resultMap: Object.fromEntries(entries.map(([name, { path }]) => [name, `{{steps.s${tools.length - 1}.result${pathText(path)}}}`])),
  }
}

/** What a plan changes, how that is undone, and what makes it happen once. */
export interface Effects {
  readonly isEffectful: boolean
  readonly compensation: readonly Compensation[]
  /** The steps that change something and that nothing undoes. */
  readonly undoable: readonly string[]
  readonly external: readonly string[]
  readonly key: string | undefined
}

export function effectsOf(id: string, { slots, symbols }: MinedPattern, steps: readonly PlanStep[], find: FindTool): Effects {
  const effectful = steps.filter(({ tool }) => isEffectful(find(tool)))
  const undone = effectful.map((step) => [step.id, compensationOf(step, find(step.tool))] as const)
  const names = slots.filter(({ type }) => type !== 'secret_ref').map(({ name }) => `{{${name}}}`)
  return {
    isEffectful: effectful.length > 0,
    compensation: undone.flatMap(([, entry]) => entry ?? []),
    undoable: undone.flatMap(([step, entry]) => (entry === undefined ? [step] : [])),
    external: [...new Set(effectful.map((step) => effectOf(symbols[steps.indexOf(step)] ?? '', step.tool)))].slice(0, 16),
    key: effectful.length === 0 ? undefined : names.length === 0 ? `constant:${id}` : [id, ...names].join(':'),
  }
}

/** Returns the effect of a call as a verb and a noun: `set:webapp_config_container`. */
function effectOf(symbol: string, tool: string): string {
  const shape = symbol.slice(symbol.indexOf(':') + 1)
  const text = shape.startsWith('(') || shape === '?' ? tool : (shape.split(/[{(|&;<>]/)[0] ?? tool)
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const verb = words.at(-1) ?? 'call'
  return `${verb}:${words.slice(0, -1).join('_') || verb}`
}
