import type { Call, Json, JsonObject, Port, Run } from '../../../../src/kernel/index.ts'
import type { Proposal } from '../../../../src/kinds/skill/model/protocol.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { lookPort } from '../../../../src/kinds/skill/plan/look-port.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import type { RunSettings } from '../../../../src/policy/index.ts'
import { type World, worldOf } from '../../../kernel/world.ts'
import { runsSettings } from '../../../policy/settings.ts'
import type { AttackTurn, Came } from './attack.ts'
import type { Ground } from './ground.ts'
import { altered } from './loose-plans.ts'
import type { Parts, Registry } from './parts.ts'

/** Turns of the event loop after which a run that goes on waits for time. */
const QUIET = 100
/** Milliseconds that pass at once, and how often they do before a run counts as endless. */
const [LATER, TIMES] = [20_000, 12]
/** Requests to a model after which a turn counts as endless. */
const MOST_REQUESTS = 40

/** Runs an attack on parts that are put together by hand: each proposal is a run of the skill. */
export async function byHand(ground: Ground, parts: Parts): Promise<Came> {
  return new Agent(ground, parts).run()
}

class Agent {
  readonly #ground: Ground
  readonly #parts: Parts
  readonly #registry: Registry
  readonly #world: World
  readonly #shown: string[] = []
  readonly #told: string[] = []
  readonly #hashes = new Map<string, string>()
  #isOpen = false
  /** False while other turns begin beside one that goes on. */
  #isLate = true

  constructor(ground: Ground, parts: Parts) {
    this.#ground = ground
    this.#parts = parts
    const store = parts.store(memoryStore())
    const host = skillHost({ project: 'acme', ...ground.attack.host, tools: ground.facts }, 'work')
    const maker = new SkillMaker(host, () => ground.facts)
    this.#registry = { store, host, maker }
    const kind = skillKind((source) => {
      const program = parts.program(maker.compile(source))
      const hash = this.#hashes.get(JSON.stringify(source))
      return hash === undefined ? program : altered(program, { hash })
    })
    this.#world = worldOf([kind], { store, settings: runsSettings() })
    const tools = { names: () => ground.facts.map(({ name }) => name), find: () => undefined }
    const world = { store, host: this.#world.host, tools: tools as never, compiles: (source: Json) => maker.compiles(source) }
    const ports: Record<string, Port<RunSettings>> = {
      tool: { leaves: true, repeat: 'keyed', perform: (call: Call<RunSettings>) => this.#tool(call) },
      'skills.look': lookPort({ ...world, project: async () => ({ board: {} }) }, host),
      ...registryPorts(world, host),
    }
    for (const [name, port] of Object.entries(ports)) this.#world.runtime.ports.set(name, parts.port(name, port))
  }

  async run(): Promise<Came> {
    await this.#ground.activate({ store: this.#registry.store, host: this.#world.host })
    const turns: Promise<void>[] = []
    for (const turn of this.#ground.attack.turns ?? []) {
      const hung = this.#ground.hanging
      const going = this.#turn(turn)
      turns.push(going)
      this.#isLate = turn.stays !== true
      if (this.#isLate) await going
      else for (let i = 0; i < 10_000 && this.#ground.hanging === hung; i++) await new Promise(setImmediate)
    }
    this.#isLate = true
    await Promise.all(turns)
    const sent = this.#ground.requests.join('\n')
    return {
      calls: this.#ground.calls,
      shown: this.#shown.join('\n'),
      sent,
      told: `${this.#told.join('\n')}\n${sent}`,
      rounds: this.#ground.requests.length,
      isOpen: this.#isOpen,
      outcome: '',
      hasFile: (name) => this.#ground.hasFile(name),
    }
  }

  async #turn(turn: AttackTurn): Promise<void> {
    const { rounds, mostMalformed } = this.#parts
    let [message, malformed] = [turn.user, 0]
    for (let round = 0; round < MOST_REQUESTS; round++) {
      this.#ground.requests.push(message)
      const reply = this.#ground.reply(turn, round)
      const texts = this.#parts.texts({ reply, user: turn.user, tool: turn.tool ?? '' })
      const read = this.#parts.read(texts, malformed < mostMalformed)
      this.#shown.push(read.visible)
      if (read.malformed) malformed++
      const isDecided = read.proposals.length + read.rejections.length > 0
      if (!isDecided || round >= rounds) return
      const results: Json[] = read.rejections.map(({ reason, detail }) => ({ status: 'rejected', reason, detail }))
      for (const proposal of read.proposals) results.push(await this.#propose(turn, proposal))
      message = JSON.stringify(results)
    }
  }

  /** Carries out a proposal, and returns what the model is told of it. */
  async #propose(turn: AttackTurn, { id, inputs, why }: Proposal): Promise<Json> {
    const found = await this.#parts.find(id, this.#registry)
    if (found === undefined) return { status: 'denied', reason: 'unknown_skill' }
    if (found.hash !== undefined) this.#hashes.set(JSON.stringify(found.source), found.hash)
    const program = this.#world.runtime.programs.add('skill', id, found.source)
    const proposal = { carrier: 'text', userText: turn.user, ...(why === undefined ? {} : { why }) } as const
    const args = this.#parts.args({ inputs, proposal })
    const run = await this.#world.runtime.start(program, { args })
    await this.#ended(run)
    const history = await this.#world.runtime.history(run.id)
    this.#told.push(JSON.stringify(history.records))
    const { ended } = run.state
    return ended?.value ?? { status: 'failed', reason: 'open' }
  }

  async #ended(run: Run): Promise<void> {
    for (let passed = 0; passed < TIMES; passed += this.#isLate && this.#ground.hanging > 0 ? 1 : 0) {
      for (let i = 0; i < QUIET; i++) {
        if (run.state.ended !== undefined) return
        await new Promise(setImmediate)
      }
      if (this.#isLate) await this.#world.host.advance(LATER)
    }
    this.#isOpen = true
  }

  async #tool(call: Call<RunSettings>): Promise<Json> {
    const { tool, args } = call.args as unknown as { readonly tool: string; readonly args: JsonObject }
    return this.#ground.call(tool, args)
  }
}
