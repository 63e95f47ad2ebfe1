import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { thisProcess } from '../../../src/app/host.ts'
import { Reflex } from '../../../src/app/reflex.ts'
import type { ReflexOptions } from '../../../src/app/options.ts'
import { type Fault, type Host, systemHost } from '../../../src/kernel/index.ts'
import type { ControlPlaneOptions } from '../../../src/kinds/skill/control/settings.ts'
import { type ProjectRegistry, projectRegistry } from '../../../src/learn/snapshot/project-registry.ts'
import type { SkillRegistry } from '../../../src/learn/registry/registry.ts'
import { defineTool } from '../../../src/tools/index.ts'
import { newFolder } from '../../app/folders.ts'

export const PASSED = { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 } as const

/** A skill that changes something, or one that only reads. */
export const skillOf = (does: 'writes' | 'reads', version = '1.0.0') => ({
  id: `notes.${does}`,
  version,
  owner: 'ana',
  compat: {},
  signature: {
    inputs: [
      { name: 'note', type: 'string' },
      { name: 'pin', type: 'string', sensitive: true, required: false },
    ],
    outputs: [],
  },
  preconditions: { tools_available: [`notes.${does}`] },
  plan: {
    ...(does === 'writes' ? { idempotence_key: 'note:{{note}}', compensation: 'none', irreversible_reason: 'notes are kept' } : {}),
    steps: [{ id: 'one', tool: `notes.${does}`, args: { note: '{{note}}' } }],
  },
  effects: does === 'writes' ? { external: ['kept:note'] } : {},
  activation: { keywords_any: ['note'], score_weights: { keyword_hit: 1 } },
  tests: { unit_cases: ['a.json'], fuzz: { count: 2, mutations: ['missing_slot'] } },
})

export const caseOf = (does: 'writes' | 'reads') => ({
  name: 'one note',
  turn: { user: 'a note' },
  propose: { inputs: { note: 'x' } },
  tools: [{ tool: `notes.${does}`, match: { args: { note: 'x' } }, result: 'ok' }],
  expect: { verdict: 'approved', status: 'ok' },
})

/** A project that uses skills: what its tools did, and what was reported to its host. */
export interface Project {
  readonly reflex: Reflex
  readonly registry: SkillRegistry
  readonly opened: ProjectRegistry
  readonly troubles: Fault[]
  readonly calls: string[]
  /** Keeps a version as tested and active. */
  readonly activate: (source: object) => Promise<void>
  /** Runs a skill, and returns its status with the reason of its last decision. */
  readonly ran: (skill: string, note?: string) => Promise<readonly [status: string, code: string | undefined]>
}

/** A host that reads a later time with each look: a run has ended before the report that follows it, however quick both are. */
function tickingHost(): Host {
  let last = 0
  return { ...systemHost, now: () => (last = Math.max(last + 1, systemHost.now())) }
}

export function project(controlPlane: ControlPlaneOptions | null, more: ReflexOptions = {}): Project {
  const calls: string[] = []
  const troubles: Fault[] = []
  const tool = (does: 'writes' | 'reads') =>
    defineTool({
      name: `notes.${does}`,
      description: does,
      leaves: does === 'writes',
      repeat: 'keyed',
      run: async () => {
        calls.push(does)
        return 'ok'
      },
    })
  const reflex = new Reflex({
    store: 'memory:',
    workdir: newFolder(),
    trust: 'trusted',
    actor: 'ana',
    tools: [tool('writes'), tool('reads')],
    skill: { project: 'acme', compat: { env: 'staging' }, controlPlane },
    onTrouble: (fault) => troubles.push(fault),
    surroundings: { ...thisProcess(), host: tickingHost() },
    ...more,
  })
  onTestFinished(() => reflex.close())
  const opened = projectRegistry(reflex, { version: '1.0.0' })
  const { registry } = opened
  return {
    reflex,
    registry,
    opened,
    troubles,
    calls,
    activate: (source) => activate(registry, source),
    async ran(skill, note = 'x') {
      const run = await reflex.run(`skill:${skill}`, { input: { note } })
      const { rule, code } = (run.status === 'failed' ? run.value : {}) as { readonly rule?: string; readonly code?: string }
      return [run.status, rule ?? code]
    },
  }
}

export async function activate(registry: SkillRegistry, source: object): Promise<void> {
  const { skill, findings } = await readSource(source)
  if (skill === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  const { manifest, hash } = skill
  const name = `${manifest.id}@${manifest.version}`
  await registry.put(manifest, hash, 'file')
  await registry.keepCases(hash, [caseOf(manifest.id.endsWith('writes') ? 'writes' : 'reads')])
  await registry.tested(await registry.find(name), PASSED)
  await registry.activate(await registry.find(name))
}

export async function readSource(source: object) {
  const { decodeSkill } = await import('../../../src/kinds/skill/manifest/read-skill.ts')
  return decodeSkill(source, {
    tools: [
      { name: 'notes.writes', sideEffects: 'external', idempotent: true },
      { name: 'notes.reads', sideEffects: 'none', idempotent: true },
    ],
  })
}

/** What a control plane of a test answers: a status with a body, a body, or nothing ever. */
export type Answer = { readonly status: number; readonly body: string } | object | 'hangs'

/** A control plane that answers what the test says, and keeps what it was sent. */
export interface FakePlane {
  readonly url: string
  readonly asked: { readonly path: string; readonly body: string; readonly headers: IncomingMessage['headers'] }[]
  answer: Answer
}

export async function fakePlane(answer: Answer): Promise<FakePlane> {
  const plane: FakePlane = { url: '', asked: [], answer }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const part of request) body += String(part)
    plane.asked.push({ path: request.url ?? '', body, headers: request.headers })
    const said = plane.answer
    if (said === 'hangs') return
    const isRaw = 'status' in said
    response.writeHead(isRaw ? said.status : 200, { 'content-type': 'application/json' })
    response.end(isRaw ? said.body : JSON.stringify(said))
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(plane, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
