import { isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import type { Compensation, PlanStep } from '../../kinds/skill/model/manifest.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'

/** A reference to the call that is undone: to an argument, or into its result. */
const REFERENCE = /\{\{\s*(args|result)((?:\.[A-Za-z0-9_]{1,64}|\[\d{1,6}\])*)\s*\}\}/g

/** True unless a tool is declared to change nothing. */
export function isEffectful(tool: SkillTool | undefined): boolean {
  return tool?.sideEffects !== 'none'
}

/** Returns the call that undoes a step, as its tool declares it; undefined if it declares none. */
export function compensationOf(step: PlanStep, tool: SkillTool | undefined): Compensation | undefined {
  if (tool?.undo === undefined) return undefined
  const args = filled(tool.undo.args as Json, step)
  return {
    when: 'partial_failure',
    for_step: step.id,
    tool: tool.undo.tool,
    args: isObject(args) ? args : {},
    timeout_ms: step.timeout_ms,
    guards: [],
  }
}

function filled(value: Json, step: PlanStep): Json {
  if (typeof value === 'string') return filledText(value, step)
  if (isList(value)) return value.map((item) => filled(item, step))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, step)])) : value
}

/** A text that is one reference to an argument becomes that argument; other references become parts of the text. */
function filledText(text: string, { id, args }: PlanStep): Json {
  const [whole] = [...text.matchAll(REFERENCE)]
  if (whole !== undefined && whole[0] === text && whole[1] === 'args') return argumentAt(args, whole[2] ?? '') ?? text
  return text.replace(REFERENCE, (found: string, root: string, path: string) => {
    if (root === 'result') return `{{steps.${id}.result${path}}}`
    const value = argumentAt(args, path)
    return value === undefined ? found : typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function argumentAt(args: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = args
  for (const [, key, index] of path.matchAll(/\.([A-Za-z0-9_]+)|\[(\d+)\]/g))
    at =
      index === undefined
        ? isObject(at) && Object.hasOwn(at, key ?? '')
          ? at[key ?? '']
          : undefined
        : isList(at)
          ? at[Number(index)]
          : undefined
  return at
}
