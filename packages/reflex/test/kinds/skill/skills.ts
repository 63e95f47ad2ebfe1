import type { SkillHost } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../../src/kinds/skill/model/skill-tool.ts'

/** A tool of a test: it changes something outside unless the test says otherwise. */
export function tool(name: string, facts: Partial<SkillTool> = {}): SkillTool {
  return { name, sideEffects: 'external', idempotent: false, ...facts }
}

/** The host of most tests: a tool that changes, one that reads, and one that runs commands. */
export const HOST: SkillHost = {
  tools: [
    tool('deploy'),
    tool('read', { sideEffects: 'none', idempotent: true }),
    tool('shell', { commandLine: 'cmd' }),
    tool('script', { script: 'text' }),
  ],
  functions: [],
  facts: [],
}

/** Returns a JSON value with members replaced or removed, by JSON pointer. */
export function changed(
  value: unknown,
  { set = {}, remove = [] }: { readonly set?: Readonly<Record<string, unknown>>; readonly remove?: readonly string[] },
): unknown {
  const copy = structuredClone(value)
  for (const [pointer, member] of Object.entries(set)) {
    const { owner, key } = placeOf(copy, pointer)
    Object.defineProperty(owner, key, { value: member, enumerable: true, writable: true, configurable: true })
  }
  for (const pointer of remove) {
    const { owner, key } = placeOf(copy, pointer)
    Reflect.deleteProperty(owner, key)
  }
  return copy
}

function placeOf(value: unknown, pointer: string): { readonly owner: object; readonly key: string } {
  const steps = pointer.split('/').slice(1)
  const key = steps.pop() ?? ''
  const owner = steps.reduce((at, step) => Reflect.get(at, step) as object, value as object)
  return { owner, key }
}
