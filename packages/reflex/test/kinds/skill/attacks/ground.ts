import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, JsonObject, Store } from '../../../../src/kernel/index.ts'
import { skillLedger } from '../../../../src/kinds/skill/ledger/entries.ts'
import { faults } from '../../../../src/kinds/skill/plan/faults.ts'
import type { SkillTool } from '../../../../src/kinds/skill/model/skill-tool.ts'
import { newFolder } from '../../../app/folders.ts'
import { activate, type Life, RELEASE } from '../../../wrap/session/world.ts'
import { changed, tool } from '../skills.ts'
import { type Attack, type AttackTurn, type Reply, wordsOf } from './attack.ts'

/** The tool of the skill that is attacked. */
const TAG = 'set_tag'

/** What an attack meets: tools that do what it says, a model that says what it says, and a folder that is nobody's business. */
export class Ground {
  readonly attack: Attack
  readonly calls: string[] = []
  readonly facts: readonly SkillTool[]
  readonly requests: string[] = []
  /** Calls that never end. */
  hanging = 0
  readonly #folder = newFolder()
  readonly #counts = new Map<string, number>()

  constructor(attack: Attack) {
    this.attack = attack
    const { tools = {} } = attack
    this.facts = [...new Set([TAG, ...Object.keys(tools)])].map((name) => tool(name, { idempotent: true, ...tools[name]?.facts }))
    for (const name of ['work', 'outside']) mkdirSync(join(this.#folder, name))
  }

  get manifest(): JsonObject {
    return changed(RELEASE, this.attack.change ?? {}) as JsonObject
  }

  hasFile(name: string): boolean {
    return existsSync(join(this.#folder, name))
  }

  /** Calls a tool. */
  async call(name: string, args: JsonObject): Promise<Json> {
    this.calls.push(`${name} ${JSON.stringify(args)}`)
    const count = this.#counts.get(name) ?? 0
    this.#counts.set(name, count + 1)
    const all = this.attack.tools?.[name]?.does ?? []
    const { does, value = name } = all[Math.min(count, all.length - 1)] ?? { does: 'gives' }
    if (does === 'fails') throw new Error(typeof value === 'string' ? value : name)
    if (does === 'busy') throw faults.make('R1473', 'it is busy')
    if (does === 'hangs') {
      this.hanging++
      return new Promise(() => undefined)
    }
    if (does === 'runs') return this.#run(args['cmd'])
    if (does === 'writes') writeFileSync(join(this.#folder, 'work', wordsOf(args['path'])), 'taken')
    return value
  }

  #run(words: unknown): string {
    const [program = '', ...rest] = words as readonly string[]
    return execFileSync(program, rest, { cwd: this.#folder, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } })
  }

  /** Returns the next reply of the model in a turn: a text, or a message. */
  reply(turn: AttackTurn, round: number): Json {
    const reply: Reply = turn.replies[Math.min(round, turn.replies.length - 1)] ?? ''
    if (typeof reply === 'string') return reply.replaceAll('{{round}}', String(round))
    if ('message' in reply) return { role: 'assistant', ...reply.message }
    const { propose, as = 'release.tag', why } = reply
    const body = JSON.stringify({ skill_id: as, inputs: propose, ...(why === undefined ? {} : { why }) })
    return `<SKILL_PROPOSE>${body.replaceAll('{{round}}', String(round))}</SKILL_PROPOSE>`
  }

  /** Keeps and activates the skill, and changes the entries of the registry that the attack changes. */
  async activate(life: Pick<Life, 'store' | 'host'>): Promise<void> {
    await activate(life, this.manifest, this.facts)
    await this.#tamper(life.store, life.host.now())
  }

  async #tamper(store: Store, now: number): Promise<void> {
    const ledger = skillLedger('acme', 'default')
    for (const [name, { set }] of Object.entries(this.attack.registry ?? {})) {
      const { entries } = await store.latest(ledger, [name])
      const value = changed({ value: entries[0]?.value ?? null }, { set }) as { readonly value: Json }
      await store.appendAll(ledger, `an attack on ${name}`, [{ name, value: value.value }], now)
    }
  }
}
