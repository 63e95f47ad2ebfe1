import { isObject, type JsonObject, keptRecords, readRecords } from '../../../src/kernel/index.ts'
import type { DecisionRecord } from '../../../src/kinds/skill/model/decision.ts'
import { decodeSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { KeptSkill } from '../../../src/learn/registry/kept-skill.ts'
import type { SkillRegistry } from '../../../src/learn/registry/registry.ts'
import { projectRegistry } from '../../../src/learn/snapshot/project-registry.ts'
import { defineTool } from '../../../src/tools/index.ts'
import { life, type Life, type LifeOptions } from '../../wrap/session/world.ts'

export const PASSED = { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 } as const

/** A skill that reads one thing with one tool. It can be called as often as somebody likes. */
export function note(version: string, more: object = {}): JsonObject {
  return {
    id: 'app.note',
    version,
    owner: 'ana',
    description: 'Reads a note.',
    compat: {},
    signature: { inputs: [], outputs: [{ name: 'text', type: 'string' }] },
    preconditions: { tools_available: ['notes.read'] },
    plan: {
      steps: [{ id: 'read', tool: 'notes.read', args: { of: version } }],
      result_map: { text: '{{steps.read.result}}' },
    },
    activation: { keywords_any: ['note'], score_weights: { keyword_hit: 1 }, tau: 0.5 },
    ...more,
  }
}

export interface Released extends Life {
  readonly registry: SkillRegistry
  /** The versions whose tool was called, in their order. */
  readonly calls: string[]
  /** The versions whose tool fails. */
  readonly failing: Set<string>
  keep(source: JsonObject): Promise<KeptSkill>
  activate(source: JsonObject, share?: number): Promise<void>
}

/** A process whose tool tells which version of a skill has called it. `org`: the registry of an organisation. */
export function released(options: LifeOptions = {}, org?: string): Released {
  const one = life(options)
  const calls: string[] = []
  const failing = new Set<string>()
  const read = defineTool({
    name: 'notes.read',
    description: 'Reads a note.',
    leaves: false,
    repeat: 'free',
    async run(args) {
      const { of } = args as { readonly of: string }
      calls.push(of)
      if (failing.has(of)) throw new Error('there is no note')
      return of
    },
  })
  one.reflex.addTool(read)
  const { registry } = projectRegistry(one.reflex, { version: '1.0.0', org })
  const keep = async (source: JsonObject): Promise<KeptSkill> => {
    const { skill, findings } = decodeSkill(source, { tools: [{ name: 'notes.read', sideEffects: 'none', idempotent: true }] })
    if (skill === undefined) throw new Error(findings.map(String).join('\n'))
    await registry.put(skill.manifest, skill.hash, 'file')
    const name = `${skill.manifest.id}@${skill.manifest.version}`
    await registry.tested(await registry.find(name), PASSED)
    return registry.find(name)
  }
  return { ...one, registry, calls, failing, keep, activate: async (source, share) => registry.activate(await keep(source), share) }
}

/** Returns the decisions in the records of a run. */
export async function decisionsOf({ store }: Pick<Life, 'store'>, run: string): Promise<readonly DecisionRecord[]> {
  const found: DecisionRecord[] = []
  for await (const [, record] of readRecords(store, run, (await keptRecords(store, run)).first)) {
    const told = record.more?.note
    if (isObject(told) && isObject(told['decision'])) found.push(told['decision'] as unknown as DecisionRecord)
  }
  return found
}
