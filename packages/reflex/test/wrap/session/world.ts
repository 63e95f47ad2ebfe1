import { onTestFinished } from 'vitest'
import type { Fault, Json, Store } from '../../../src/kernel/index.ts'
import { decodeSkill } from '../../../src/kinds/skill/manifest/read-skill.ts'
import type { SkillTool } from '../../../src/kinds/skill/model/skill-tool.ts'
import { SkillRegistry } from '../../../src/learn/registry/registry.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { virtualHost } from '../../../src/testing/index.ts'
import { Reflex, type SkillOptions } from '../../../src/wrap/index.ts'
import { newFolder } from '../../app/folders.ts'

/** A skill that tags a release. Its tool changes something outside. */
export const RELEASE = {
  id: 'release.tag',
  version: '1.0.0',
  owner: 'team',
  title: 'Tag a release',
  description: 'Tags the commit of a release.',
  compat: {},
  signature: {
    inputs: [{ name: 'tag', type: 'string' }],
    outputs: [{ name: 'url', type: 'string' }],
    blackboard_bindings: { inputs: { tag: 'ctx.tag' }, outputs: { url: 'work.url' } },
  },
  preconditions: { tools_available: ['set_tag'], data_present: ['tag'] },
  plan: {
    idempotence_key: 'release:{{tag}}',
    steps: [{ id: 'set', tool: 'set_tag', args: { tag: '{{tag}}' } }],
    compensation: 'none',
    irreversible_reason: 'a tag stays',
    result_map: { url: 'https://x.test/{{tag}}' },
  },
  effects: { writes: ['work.url'], external: ['created:tag'] },
  activation: { required_slots: ['tag'], keywords_any: ['release'], score_weights: { keyword_hit: 1 }, tau: 0.5 },
}

let lives = 0

export interface Life {
  readonly reflex: Reflex
  readonly store: Store
  readonly host: ReturnType<typeof virtualHost>
  readonly troubles: Fault[]
}

export interface LifeOptions {
  readonly store?: Store
  readonly skill?: SkillOptions
  /** The time at which it begins. */
  readonly at?: number
  /** False for a process that dies. */
  readonly closes?: boolean
}

/** A process over a store. */
export function life({ store = memoryStore(), skill, at, closes = true }: LifeOptions = {}): Life {
  const workdir = newFolder()
  const host = virtualHost({ seed: ++lives, ...(at === undefined ? {} : { at }) })
  const troubles: Fault[] = []
  const reflex = new Reflex({
    workdir,
    store,
    leaseMs: 10_000,
    skill: { project: 'acme', ...skill },
    onTrouble: (fault) => void troubles.push(fault),
    surroundings: {
      host,
      worker: { id: `life ${lives}`, host: 'test', pid: 2 ** 22 + lives },
      cwd: workdir,
      environment: { CI: 'yes' },
      actor: 'ana',
    },
  })
  if (closes) onTestFinished(() => reflex.close())
  return { reflex, store, host, troubles }
}

/** Returns the same store as another process sees it, with some functions replaced. */
export function connection(
  store: Store,
  replaced: (name: keyof Store, act: (...args: never[]) => unknown) => ((...args: never[]) => unknown) | undefined = () => undefined,
): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const member: unknown = target[name]
      if (typeof member !== 'function') return member
      const act = (member as (...args: never[]) => unknown).bind(target)
      return replaced(name, act) ?? act
    },
  })
}

/** Keeps a skill in the registry of a process, and activates it. A tool that is a name changes something, and may be called again. */
export async function activate(
  { store, host }: Pick<Life, 'store' | 'host'>,
  manifest: object,
  tools: readonly (string | SkillTool)[],
): Promise<void> {
  const declared = tools.map((one): SkillTool => (typeof one === 'string' ? { name: one, sideEffects: 'external', idempotent: true } : one))
  const { skill, findings } = decodeSkill(manifest, { tools: declared, functions: [], facts: [] })
  if (skill === undefined) throw new Error(findings.map(String).join('\n'))
  const registry = new SkillRegistry(store, {
    project: 'acme',
    env: 'default',
    by: 'ana',
    sdk: '',
    now: () => host.now(),
    unique: () => host.entropy(),
  })
  const { id } = skill.manifest
  await registry.put(skill.manifest, skill.hash, 'file')
  await registry.tested(await registry.find(id), { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 })
  await registry.activate(await registry.find(id))
}

export interface ChatMessage {
  readonly role: string
  readonly content: unknown
  readonly tool_calls?: readonly unknown[]
}

export interface ChatRequest {
  readonly model?: string
  readonly messages: readonly ChatMessage[]
}

/** A model that replies what a script says, and keeps what it was asked. */
export class ScriptedModel {
  readonly requests: ChatRequest[] = []
  readonly #replies: readonly string[]

  constructor(...replies: readonly string[]) {
    this.#replies = replies
  }

  /** Like `chat.completions.create` of a client. */
  readonly create = async (request: ChatRequest): Promise<ChatReply> => {
    this.requests.push(structuredClone(request))
    const content = this.#replies[this.requests.length - 1] ?? 'ok'
    return {
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    }
  }

  /** A client as that of OpenAI. */
  get client(): { chat: { completions: { create: (request: ChatRequest) => Promise<ChatReply> } } } {
    return { chat: { completions: { create: this.create } } }
  }
}

export interface ChatReply {
  readonly choices: readonly { readonly message: { readonly role: string; readonly content: string }; readonly finish_reason: string }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('')
}

export const propose = (inputs: Json): string => `<SKILL_PROPOSE>${JSON.stringify({ skill_id: 'release.tag', inputs })}</SKILL_PROPOSE>`
