import type { Json } from '../../../../src/kernel/index.ts'
import { compileValue, type CompileValueOptions } from '../../../../src/kinds/skill/templates/compiled-value.ts'
import { ROOTS, type TemplateScope, type TemplateValues } from '../../../../src/kinds/skill/templates/scope.ts'
import type { Slot } from '../../../../src/kinds/skill/model/slot.ts'

function slot(name: string, type: Slot['type'], more: Partial<Slot> = {}): Slot {
  return { name, type, required: true, maxLength: 1024, description: '', sensitive: type === 'secret_ref', ...more }
}

const SLOTS = [
  slot('s', 'string', { pattern: '.*' }),
  slot('n', 'integer'),
  slot('b', 'boolean'),
  slot('o', 'json'),
  slot('url', 'url'),
  slot('label', 'hostname_label'),
  slot('port', 'integer'),
  slot('word', 'string', { pattern: '[a-z.]+' }),
  slot('dir', 'path'),
  slot('free', 'string'),
  slot('secret', 'secret_ref'),
  slot('hidden', 'string', { pattern: '.*', sensitive: true }),
]

const SCOPE: TemplateScope = {
  slots: new Map(SLOTS.map((one) => [one.name, one])),
  steps: new Set(['look']),
  roots: new Set(ROOTS),
}

/** The values of a test: those of the slots, and of the blackboard. */
export function valuesOf(slots: Readonly<Record<string, Json>> = {}, rest: Partial<TemplateValues> = {}): TemplateValues {
  const exec = { id: 'e1', trace_id: 't1', started_at: '2026-01-01T00:00:00Z', attempt: 1 }
  return { slots, ctx: {}, env: {}, work: {}, steps: {}, exec, ...rest }
}

/** Renders a value: the rules that it breaks, or the reason why it has no value, or the value. */
export function render(json: Json, values: TemplateValues = valuesOf(), options: CompileValueOptions = { secrets: true }): unknown {
  const { value, problems } = compileValue(json, SCOPE, options)
  const errors = problems.filter(({ rule }) => rule.startsWith('E_'))
  if (errors.length > 0) return errors.map(({ rule }) => rule)
  const result = value.render(values)
  return result.ok ? result.value : result.failure.reason
}

/** Compiles a value, and returns it with its problems. */
export function compiled(json: Json, options: CompileValueOptions = { secrets: true }): ReturnType<typeof compileValue> {
  return compileValue(json, SCOPE, options)
}

/** Renders a command line: the arguments of its process. */
export function command(text: Json, values: TemplateValues = valuesOf(), shell = false): unknown {
  const result = render({ cmd: text }, values, { secrets: true, command: { argument: 'cmd', shell } })
  return typeof result === 'object' && result !== null && 'cmd' in result ? result.cmd : result
}
